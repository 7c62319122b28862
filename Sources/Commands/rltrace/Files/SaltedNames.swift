import TraceFormat

/// Replaces names with their HMAC-SHA-256. A reader needs the secret to test whether a hash is that of a guessed name.
struct SaltedNames {
  /// A shorter secret could be guessed.
  private static let fewestBytes = 16
  private static let mostBytes = 4_096
  /// With 64-bit hashes, the chance of a collision among a million names is one in 37 million.
  private static let codeBytes = 8

  private let secret: [UInt8]
  private let library: CryptoLibrary

  /// Every byte of the file is part of the secret.
  init(file: String) throws(Failure) {
    let secret = try TextFile.bytes(file, atMost: Self.mostBytes)
    guard (Self.fewestBytes...Self.mostBytes).contains(secret.count) else {
      throw Failure(
        status: .badData, file: file,
        message: "a secret has \(Self.fewestBytes) to \(Self.mostBytes) bytes; "
          + "make one with: head -c 32 /dev/urandom >FILE")
    }
    guard let library = CryptoLibrary.shared else {
      throw Failure(
        status: .unavailable, file: file,
        message: "hashing needs \(CryptoLibrary.name): \(CryptoLibrary.advice)")
    }
    (self.secret, self.library) = (secret, library)
  }

  /// Returns, for example, `#3b6a27bcceb6a42d`; `#` alone if the library fails.
  func hash(_ name: String) -> String {
    "#" + TextForm.hex((library.code(of: Array(name.utf8), secret: secret) ?? []).prefix(Self.codeBytes))
  }
}
