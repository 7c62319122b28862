#if os(Linux) && arch(x86_64)
import CForkSupport
import CRLTraceStacks
import Testing

/// The stack of a sleeping thread, whose frame pointer is not known. The memory is written by hand.
@Suite struct UnwindTests {
  private static let start: UInt64 = 0x7000

  /// Returns the frames of a thread that sleeps in the function with a frame pointer. `words`: its stack.
  private func frames(_ words: [UInt64]) -> [UInt64] {
    var registers = rlt_registers()
    rlt_set_register(&registers, UInt32(RLT_REGISTER_PC), frame_address_of(FRAME_INSIDE_WAIT))
    rlt_set_register(&registers, UInt32(RLT_REGISTER_SP), Self.start)
    return words.withUnsafeBytes { bytes in
      var stack = rlt_stack_bytes()
      stack.start = Self.start
      stack.count = bytes.count
      stack.bytes = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
      var frames = [UInt64](repeating: 0, count: 8)
      let count = rlt_unwind(&registers, &stack, 0, &frames, frames.count)
      return Array(frames.prefix(count))
    }
  }

  /// Four words of the function, the saved frame pointer, and the return address. `below`: what earlier calls left in
  /// the function's part of the stack. `pushed`: words that the function took after its beginning.
  private func stack(
    behind place: frame_place, pointer: UInt64 = 12_345, below: UInt64 = 0, pushed: [UInt64] = []
  ) -> [UInt64] {
    pushed + [below, below, below, below, pointer, frame_address_of(place)] + [UInt64](repeating: 0, count: 8)
  }

  private let inside = frame_address_of(FRAME_INSIDE_WAIT)

  /// An optimized caller uses the frame pointer for numbers.
  @Test(arguments: [
    FRAME_BEHIND_CALL, FRAME_BEHIND_TABLE_CALL, FRAME_BEHIND_JUMPING_CALL, FRAME_BEHIND_POINTER_CALL,
  ])
  func callersWithoutAFramePointer(place: frame_place) {
    for pointer: UInt64 in [12_345, 0, 1, 0x6000, .max] {
      #expect(frames(stack(behind: place, pointer: pointer)) == [inside, frame_address_of(place)])
    }
  }

  /// Return addresses of earlier calls lie where the function has put nothing.
  @Test(arguments: [
    FRAME_BEHIND_CALL, FRAME_BEHIND_TABLE_CALL, FRAME_BEHIND_JUMPING_CALL, FRAME_BEHIND_POINTER_CALL,
  ])
  func earlierCalls(place: frame_place) {
    for left in [FRAME_BEHIND_CALL, FRAME_BEHIND_POINTER_CALL, FRAME_BEHIND_OTHER_CALL] {
      let words = stack(behind: place, below: frame_address_of(left))
      #expect(frames(words) == [inside, frame_address_of(place)])
    }
  }

  /// The function has taken more of the stack than its beginning shows. Only a call that shows its target is certain.
  @Test func placesThatAreNotExact() {
    let pushed: [UInt64] = [0, frame_address_of(FRAME_BEHIND_POINTER_CALL)]
    for place in [FRAME_BEHIND_CALL, FRAME_BEHIND_TABLE_CALL, FRAME_BEHIND_JUMPING_CALL] {
      #expect(frames(stack(behind: place, pushed: pushed)) == [inside, frame_address_of(place)])
    }
    #expect(frames(stack(behind: FRAME_BEHIND_POINTER_CALL, pushed: pushed)) == [inside])
  }

  /// The stack ends rather than go on with a function that did not call this one.
  @Test(arguments: [FRAME_BEHIND_OTHER_CALL, FRAME_BEHIND_OTHER_TABLE_CALL])
  func callsOfOtherFunctions(place: frame_place) {
    #expect(frames(stack(behind: place, pointer: 0)) == [inside])
    #expect(frames(stack(behind: place, pointer: Self.start + 64)) == [inside])
  }
}
#endif
