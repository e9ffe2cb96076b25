// The part of CryptoKit that Hashing uses: since iOS 13, macOS 10.15, tvOS 15, watchOS 8.

public struct SHA256 {
  public struct Digest {
    public func withUnsafeBytes<Result>(
      _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result { try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
  }

  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
  public func finalize() -> Digest { Digest() }
}

public enum Curve25519 {
  public enum Signing {
    public struct PrivateKey: Sendable {
      public var publicKey: PublicKey { PublicKey() }

      public init(rawRepresentation: some Sequence<UInt8>) throws {}
      public func signature(for data: some Sequence<UInt8>) throws -> [UInt8] { [] }
    }

    public struct PublicKey: Sendable {
      public var rawRepresentation: [UInt8] { [] }

      fileprivate init() {}
      public init(rawRepresentation: some Sequence<UInt8>) throws {}
      public func isValidSignature(
        _ signature: some Sequence<UInt8>, for data: some Sequence<UInt8>
      ) -> Bool { false }
    }
  }
}
