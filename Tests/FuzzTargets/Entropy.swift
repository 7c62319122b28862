import TestSupport

/// Random numbers from bytes, so that a fuzzer that changes bytes changes decisions. After the last byte, the numbers
/// come from a generator that all bytes seed.
struct Entropy: RandomNumberGenerator {
  private let bytes: [UInt8]
  private var at = 0
  private var behind: SeededGenerator

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    behind = SeededGenerator(
      seed: bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 })
  }

  /// Each decision takes a byte and repeats it, so that small choices depend on all of its bits.
  mutating func next() -> UInt64 {
    guard at < bytes.count else { return behind.next() }
    defer { at += 1 }
    return UInt64(bytes[at]) &* 0x0101_0101_0101_0101
  }

  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(max(count, 1))) }
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
  mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }
}
