import Foundation

/// HMAC-SHA-256 from the system's OpenSSL. That library is loaded at run time, because compiling one takes longer than
/// compiling this program.
///
/// Source: https://docs.openssl.org/3.0/man3/HMAC/.
struct CryptoLibrary: @unchecked Sendable {
  private typealias Digest = @convention(c) () -> OpaquePointer?
  private typealias Code =
    @convention(c) (
      OpaquePointer?, UnsafeRawPointer?, Int32, UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?,
      UnsafeMutablePointer<UInt32>?
    ) -> UnsafeMutablePointer<UInt8>?

  private static let names = ["libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so", "libcrypto.3.dylib"]
  private static let codeBytes = 32

  private let digest: OpaquePointer
  private let code: Code

  /// The message when the library cannot be loaded.
  static let advice = "the system's libcrypto cannot be loaded; on Debian: apt-get install libssl3"

  /// Loads the library; nil if the system has none.
  static let shared: CryptoLibrary? = {
    for name in names {
      if let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) { return CryptoLibrary(library) }
    }
    return nil
  }()

  private init?(_ library: UnsafeMutableRawPointer) {
    guard let makeDigest = dlsym(library, "EVP_sha256"), let code = dlsym(library, "HMAC"),
      let digest = unsafeBitCast(makeDigest, to: Digest.self)()
    else { return nil }
    self.digest = digest
    self.code = unsafeBitCast(code, to: Code.self)
    // A library can be built without this digest.
    guard self.code(of: [], secret: [0]) != nil else { return nil }
  }

  /// Returns the 32-byte authentication code of `bytes`; nil if the library fails.
  func code(of bytes: [UInt8], secret: [UInt8]) -> [UInt8]? {
    var found = [UInt8](repeating: 0, count: Self.codeBytes)
    var count: UInt32 = 0
    let result = code(digest, secret, Int32(secret.count), bytes, bytes.count, &found, &count)
    return result != nil && count == Self.codeBytes ? found : nil
  }
}
