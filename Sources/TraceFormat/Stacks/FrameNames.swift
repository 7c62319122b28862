/// A function that is active at an address, as a trace names it.
public struct FrameName: Hashable, Sendable {
  public var function: String
  /// Empty when it is not known.
  public var file: String
  /// 0 when it is not known.
  public var line: UInt32
  public var column: UInt32

  public init(function: String, file: String = "", line: UInt32 = 0, column: UInt32 = 0) {
    self.function = function
    self.file = file
    self.line = line
    self.column = column
  }
}

/// The names for code that stand in a trace: nobody needs the program's files to read its stacks.
public struct FrameNames: Sendable {
  private var framesOfAddress: [UInt64: [FrameName]] = [:]

  public enum Limit {
    /// Functions at one address.
    public static let depth = 256
  }

  /// Decodes the blocks of the recorder's own threads, where names stand. What is damaged there names nothing.
  public init(_ reader: TraceReader) throws(TraceFormatError) {
    try reader.forEachReadableBlock(of: reader.recorderThreads) { events in
      for arguments in events.arguments(of: .frameName) { add(arguments, reader) }
    }
  }

  private mutating func add(_ arguments: [UInt64], _ reader: TraceReader) {
    guard arguments.count >= 3, framesOfAddress.count < RecordedCode.Limit.addresses else { return }
    let (address, depth) = (arguments[0], arguments[1])
    // Named anew: the later names count.
    if depth == 0 { framesOfAddress[address] = [] }
    guard let known = framesOfAddress[address]?.count, depth == UInt64(known), known < Limit.depth else {
      return
    }
    func number(_ position: Int) -> UInt32 {
      position < arguments.count ? UInt32(clamping: arguments[position]) : 0
    }
    framesOfAddress[address]?.append(
      FrameName(
        function: reader.text(arguments[2]) ?? "",
        file: arguments.count > 3 ? reader.text(arguments[3]) ?? "" : "", line: number(4), column: number(5)))
  }

  public var isEmpty: Bool { framesOfAddress.isEmpty }
  /// Addresses that have names.
  public var count: Int { framesOfAddress.count }

  /// The functions at an address, innermost first: each but the last was inlined into the next. Empty when it is not
  /// named.
  public subscript(address: StackAddress) -> [FrameName] { framesOfAddress[address.lookup] ?? [] }
}
