/// A code address of a call stack.
package struct StackAddress: Hashable, Sendable {
  /// The address to look up names for. A return address follows its call, which may be the last instruction of a
  /// function or line. So its lookup address is one less, within the call.
  package var lookup: UInt64

  package init(exact address: UInt64) { lookup = address }
  package init(returnAddress address: UInt64) { lookup = address &- 1 }

  /// Creates the frame of a stack at `position`, from 0, innermost first. All frames but the first are return
  /// addresses.
  package init(_ address: UInt64, at position: Int) {
    self = position == 0 ? StackAddress(exact: address) : StackAddress(returnAddress: address)
  }

  /// Returns the addresses of a stack, innermost first.
  package static func stack(_ addresses: some Sequence<UInt64>) -> [StackAddress] {
    addresses.enumerated().map { StackAddress($1, at: $0) }
  }

  /// The kinds of events that have frames, each with the position of the first frame among the arguments.
  static let firstFrame: [EventKind: Int] = [
    .stack: EventKind.Stack.frame, .threadStack: EventKind.ThreadStack.frame,
    .nameCode: EventKind.NameCode.code,
  ]

  /// Returns whether an argument is a frame other than the innermost.
  static func isReturn(_ position: Int, of kind: EventKind) -> Bool {
    firstFrame[kind].map { position > $0 } ?? false
  }
}
