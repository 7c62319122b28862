// Stub of the part of CryptoKit that swift-crypto's module Crypto exports on Apple's systems; bodies are empty.
public struct SymmetricKey {
  public init<Bytes: Sequence>(data: Bytes) where Bytes.Element == UInt8 {}
}
public enum SHA256 {}
public struct HMAC<Hash> {
  public struct MAC: Sequence {
    public func makeIterator() -> AnyIterator<UInt8> { AnyIterator { nil } }
  }
  public static func authenticationCode<Bytes: Sequence>(for data: Bytes, using key: SymmetricKey) -> MAC
  where Bytes.Element == UInt8 { MAC() }
}
