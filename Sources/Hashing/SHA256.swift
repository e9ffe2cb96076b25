#if canImport(CryptoKit)
  import CryptoKit
#else
  import CLibcrypto
#endif

/// SHA-256 (FIPS 180-4) of bytes that come in pieces. A copy goes on by itself.
///
/// On Linux it is OpenSSL's, of the functions that take a state on the stack: the newer ones
/// allocate it, and take 1.3 to 1.6 times as long for an item of 60 bytes.
// Unchecked because CryptoKit may not say that its SHA256 is Sendable; it is a value all the same.
package struct SHA256: @unchecked Sendable {
  #if canImport(CryptoKit)
    private var state = CryptoKit.SHA256()
  #else
    private var state = SHA256_CTX()
  #endif

  package init() {
    #if !canImport(CryptoKit)
      SHA256_Init(&state)
    #endif
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    #if canImport(CryptoKit)
      state.update(bufferPointer: bytes)
    #else
      SHA256_Update(&state, bytes.baseAddress, bytes.count)
    #endif
  }

  package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  /// The digest of the bytes so far.
  package var digest: Digest {
    #if canImport(CryptoKit)
      state.finalize().withUnsafeBytes { Digest(unchecked: $0) }
    #else
      withUnsafeTemporaryAllocation(byteCount: Digest.byteCount, alignment: 8) { bytes in
        var copy = state
        SHA256_Final(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), &copy)
        return Digest(unchecked: UnsafeRawBufferPointer(bytes))
      }
    #endif
  }

  package static func digest(of bytes: UnsafeRawBufferPointer) -> Digest {
    var hash = SHA256()
    hash.update(bytes)
    return hash.digest
  }

  package static func digest(of bytes: [UInt8]) -> Digest {
    bytes.withUnsafeBytes { digest(of: $0) }
  }
}

extension SHA256 {
  /// The 32 bytes of a hash, without a memory allocation of their own.
  package struct Digest: Hashable, Sendable {
    package static let byteCount = 32

    /// The bytes as they lie in memory.
    private let a, b, c, d: UInt64

    /// - Precondition: There are at least 32 bytes.
    fileprivate init(unchecked bytes: UnsafeRawBufferPointer) {
      a = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
      b = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      c = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
      d = bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
    }

    /// Nil unless there are 32 bytes.
    package init?(bytes: some Collection<UInt8>) {
      guard bytes.count == Self.byteCount else { return nil }
      let digest = bytes.withContiguousStorageIfAvailable {
        Digest(unchecked: UnsafeRawBufferPointer($0))
      }
      self = digest ?? Array(bytes).withUnsafeBytes { Digest(unchecked: $0) }
    }

    package var bytes: [UInt8] { withUnsafeBytes(of: self, Array.init) }

    /// The first 8 bytes, the first one the highest.
    package var prefix: UInt64 { UInt64(bigEndian: a) }

    /// Whether the bytes are these. The time depends on none of them.
    package func isEqualInConstantTime(to other: [UInt8]) -> Bool {
      other.count == Self.byteCount
        && zip(bytes, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
  }
}
