import Crypto
import Foundation
import TraceResults

/// Replaces names by HMAC-SHA-256 with a secret. A reader needs the secret to test whether a hash is that of a guessed name.
struct SaltedNames {
  /// A shorter secret could be guessed.
  private static let fewestBytes = 16
  private static let mostBytes = 4_096
  /// With 64 bits of each code, two of a million names are equal once in 37 million fleets.
  private static let codeBytes = 8

  private let key: SymmetricKey

  /// Every byte of the file counts.
  init(file: String) throws(Failure) {
    let secret = try TextFile.bytes(file, atMost: Self.mostBytes)
    guard (Self.fewestBytes...Self.mostBytes).contains(secret.count) else {
      throw Failure(
        status: .badData, file: file,
        message: "a secret has \(Self.fewestBytes) to \(Self.mostBytes) bytes; "
          + "make one with: head -c 32 /dev/urandom >FILE")
    }
    key = SymmetricKey(data: secret)
  }

  /// Returns, for example, `#3b6a27bcceb6a42d`.
  func hash(_ name: String) -> String {
    let code = HMAC<SHA256>.authenticationCode(for: Array(name.utf8), using: key)
    return code.prefix(Self.codeBytes).reduce(into: "#") { text, byte in
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }
}
