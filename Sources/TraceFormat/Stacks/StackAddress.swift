/// A code address of a call stack.
public struct StackAddress: Hashable, Sendable {
  /// The address that names are looked up for. A return address lies behind its call, which may be the last
  /// instruction of a function or of a line: the call itself is meant, so it is the address before.
  public var lookup: UInt64

  public init(exact address: UInt64) { lookup = address }
  public init(returnAddress address: UInt64) { lookup = address &- 1 }

  /// The frame of a stack at `position`, from 0, innermost first: where it stood, or the return address of a caller.
  public init(_ address: UInt64, at position: Int) {
    self = position == 0 ? StackAddress(exact: address) : StackAddress(returnAddress: address)
  }

  /// The addresses of a stack, innermost first.
  public static func stack(_ addresses: some Sequence<UInt64>) -> [StackAddress] {
    addresses.enumerated().map { StackAddress($1, at: $0) }
  }

  /// The kinds of events that have frames, each with the position of the first one among the arguments.
  static let firstFrame: [EventKind: Int] = [.stack: 1, .threadStack: 2, .nameCode: 1]

  /// Whether an argument is a frame other than the innermost.
  static func isReturn(_ position: Int, of kind: EventKind) -> Bool {
    firstFrame[kind].map { position > $0 } ?? false
  }
}
