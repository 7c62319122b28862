import SystemSupport

/// HMAC-SHA-256 from a library of the system. It is found at run time, because compiling one takes longer than
/// compiling this program.
struct CryptoLibrary: @unchecked Sendable {
  private static let codeBytes = 32

  #if canImport(Darwin)
  // CommonCrypto is a part of the C library. Source: its header CommonHMAC.h.
  private typealias Code =
    @convention(c) (
      UInt32, UnsafeRawPointer?, Int, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?
    ) -> Void

  static let name = "CommonCrypto"
  /// kCCHmacAlgSHA256.
  private static let algorithm: UInt32 = 2

  private let code: Code

  /// The message when the function cannot be found.
  static let advice = "the C library of the system has no CCHmac"

  /// Finds the function; nil if the system has none.
  static let shared: CryptoLibrary? = dlsym(dlopen(nil, RTLD_NOW), "CCHmac").map {
    CryptoLibrary(code: unsafeBitCast($0, to: Code.self))
  }

  private init(code: Code) { self.code = code }

  /// Returns the 32-byte authentication code of `bytes`.
  func code(of bytes: [UInt8], secret: [UInt8]) -> [UInt8]? {
    var found = [UInt8](repeating: 0, count: Self.codeBytes)
    code(Self.algorithm, secret, secret.count, bytes, bytes.count, &found)
    return found
  }
  #else
  // Source: https://docs.openssl.org/3.0/man3/HMAC/.
  private typealias Digest = @convention(c) () -> OpaquePointer?
  private typealias Code =
    @convention(c) (
      OpaquePointer?, UnsafeRawPointer?, Int32, UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?,
      UnsafeMutablePointer<UInt32>?
    ) -> UnsafeMutablePointer<UInt8>?

  static let name = "OpenSSL"
  private static let files = ["libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so"]

  private let digest: OpaquePointer
  private let code: Code

  /// The message when the library cannot be loaded.
  static let advice = "the system's libcrypto cannot be loaded; on Debian: apt-get install libssl3"

  /// Nil if the system has no such library.
  static let shared: CryptoLibrary? = try? CryptoLibrary(SystemLibrary(files))

  private init(_ library: SystemLibrary) throws(SystemLibrary.Missing) {
    let makeDigest: Digest = try library.function("EVP_sha256")
    guard let digest = makeDigest() else { throw SystemLibrary.Missing() }
    self.digest = digest
    self.code = try library.function("HMAC")
    // A library can be built without this digest.
    guard self.code(of: [], secret: [0]) != nil else { throw SystemLibrary.Missing() }
  }

  /// Returns the 32-byte authentication code of `bytes`; nil if the library fails.
  func code(of bytes: [UInt8], secret: [UInt8]) -> [UInt8]? {
    var found = [UInt8](repeating: 0, count: Self.codeBytes)
    var count: UInt32 = 0
    let result = code(digest, secret, Int32(secret.count), bytes, bytes.count, &found, &count)
    return result != nil && count == Self.codeBytes ? found : nil
  }
  #endif
}
