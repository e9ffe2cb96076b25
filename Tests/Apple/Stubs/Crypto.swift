// The part of swift-crypto that the libraries use. It is CryptoKit on Apple's systems: iOS 13,
// macOS 10.15, tvOS 15, watchOS 8.

public struct SHA256 {
  public static var byteCount: Int { 32 }

  public struct Digest: Hashable, Sendable, Sequence {
    public func makeIterator() -> IndexingIterator<[UInt8]> { [].makeIterator() }
    public func withUnsafeBytes<Result>(
      _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result { try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    public static func == (digest: Digest, bytes: some Sequence<UInt8>) -> Bool { false }
  }

  public init() {}
  public mutating func update(data: some Sequence<UInt8>) {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
  public func finalize() -> Digest { Digest() }
  public static func hash(data: some Sequence<UInt8>) -> Digest { Digest() }
}

public enum Curve25519 {
  public enum Signing {
    public struct PrivateKey: Sendable {
      public var rawRepresentation: [UInt8] { [] }
      public var publicKey: PublicKey { PublicKey() }

      public init() {}
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
