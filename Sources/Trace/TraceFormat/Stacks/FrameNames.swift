/// A function that is active at an address, according to a trace.
package struct FrameName: Hashable, Sendable {
  package var function: String
  /// Empty when not known.
  package var file: String
  /// 0 when not known.
  package var line: UInt32
  package var column: UInt32

  package init(function: String, file: String = "", line: UInt32 = 0, column: UInt32 = 0) {
    self.function = function
    self.file = file
    self.line = line
    self.column = column
  }
}

/// The names for code that a trace holds, which make its stacks readable without the program's files.
package struct FrameNames: Sendable {
  private var framesOfAddress: [UInt64: [FrameName]] = [:]

  /// Decodes the blocks of the recorder's own threads, which hold the names. Skips damaged blocks. `addresses`: the
  /// lookup addresses whose names are kept; nil = all.
  package init(_ reader: TraceReader, of addresses: Set<UInt64>? = nil) throws(TraceFormatError) {
    try reader.forEachReadableBlock(of: reader.recorderThreads) { events in
      for arguments in events.arguments(of: .frameName) { add(arguments, addresses, reader) }
    }
  }

  private mutating func add(_ arguments: [UInt64], _ wanted: Set<UInt64>?, _ reader: TraceReader) {
    typealias Argument = EventKind.FrameName
    guard arguments.count > Argument.function else { return }
    let (address, depth) = (arguments[Argument.address], arguments[Argument.depth])
    guard wanted?.contains(address) ?? true else { return }
    guard depth < ReadingLimits.functionsPerAddress, functions < ReadingLimits.functions else {
      omitted += 1
      return
    }
    // The address is named again: the later names replace the earlier ones.
    if depth == 0 { functions -= framesOfAddress.updateValue([], forKey: address)?.count ?? 0 }
    guard let known = framesOfAddress[address]?.count, depth == UInt64(known) else { return }
    functions += 1
    func number(_ position: Int) -> UInt32 {
      position < arguments.count ? UInt32(clamping: arguments[position]) : 0
    }
    framesOfAddress[address]?.append(
      FrameName(
        function: reader.text(arguments[Argument.function]) ?? "",
        file: arguments.count > Argument.file ? reader.text(arguments[Argument.file]) ?? "" : "",
        line: number(Argument.line), column: number(Argument.column)))
  }

  /// The number of names beyond the limits.
  package private(set) var omitted: UInt64 = 0
  private var functions = 0

  package var isEmpty: Bool { framesOfAddress.isEmpty }
  /// The number of addresses with names.
  package var count: Int { framesOfAddress.count }

  /// Returns the functions at an address, innermost first: each but the last was inlined into the next. Empty when
  /// the address has no names.
  package subscript(address: StackAddress) -> [FrameName] { framesOfAddress[address.lookup] ?? [] }
}
