import Testing
@testable import TraceFormat

/// The checksum against the vectors published with xxHash (tests/sanity_test_vectors.h).
@Suite struct XXHash64Tests {
  private static let prime32: UInt64 = 2_654_435_761
  private static let prime64: UInt64 = 11_400_714_785_074_694_797

  /// xxHash's test input.
  private static let input: [UInt8] = {
    var generator = prime32
    return (0..<2367).map { _ in
      defer { generator &*= prime64 }
      return UInt8(generator >> 56)
    }
  }()

  @Test(
    arguments: [
      (0, 0, 0xEF46_DB37_51D8_E999), (0, prime32, 0xAC75_FDA2_929B_17EF), (1, 0, 0xE934_A84A_DB05_2768),
      (1, prime32, 0x5014_6076_43A9_B4C3), (4, 0, 0x9136_A0DC_A574_57EE), (14, 0, 0x8282_DCC4_994E_35C8),
      (14, prime32, 0xC3BD_6BF6_3DEB_6DF0), (32, 0, 0x18B2_1649_2BB4_4B70),
      (32, prime32, 0xB3F3_3BDF_93AD_E409),
      (222, 0, 0xB641_AE8C_B691_C174), (222, prime32, 0x20CB_8AB7_AE10_C14A),
      (2367, 0, 0xA824_18DD_EC0E_A581),
      (2367, prime32, 0xA36A_93C1_8052_673A),
    ] as [(Int, UInt64, UInt64)])
  func published(length: Int, seed: UInt64, expected: UInt64) {
    let hash = XXHash64Tests.input.prefix(length).withUnsafeBytes { XXHash64.hash($0, seed: seed) }
    #expect(hash == expected)
  }

  @Test func text() {
    func hash(_ text: String) -> UInt64 { Array(text.utf8).withUnsafeBytes { XXHash64.hash($0) } }
    #expect(hash("abc") == 0x44BC_2CF5_AD77_0999)
    #expect(hash("Nobody inspects the spammish repetition") == 0xFBCE_A83C_8A37_8BF1)
  }

  /// The alignment of the input does not matter.
  @Test func unaligned() {
    let padded = [0] + XXHash64Tests.input
    let hash = padded.withUnsafeBytes { XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0[1..<223])) }
    #expect(hash == 0xB641_AE8C_B691_C174)
  }
}
