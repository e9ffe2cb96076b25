#if canImport(CryptoKit)
  import CryptoKit
#else
  import CLibcrypto
#endif

/// Signatures of Ed25519 (RFC 8032).
package enum Ed25519 {
  /// The bytes of a private key, its seed, and of a public one.
  package static let keyByteCount = 32

  /// - Precondition: The seed has 32 bytes.
  package static func publicKey(ofSeed seed: [UInt8]) -> [UInt8] {
    #if canImport(CryptoKit)
      Array(privateKey(seed).publicKey.rawRepresentation)
    #else
      withPrivateKey(seed) { key in
        var count = keyByteCount
        return [UInt8](unsafeUninitializedCapacity: count) { bytes, written in
          let isDone = EVP_PKEY_get_raw_public_key(key, bytes.baseAddress, &count) == 1
          precondition(isDone, "libcrypto gives no public key")
          written = count
        }
      }
    #endif
  }

  /// - Precondition: The seed has 32 bytes.
  package static func signature(of bytes: [UInt8], bySeed seed: [UInt8]) -> [UInt8] {
    #if canImport(CryptoKit)
      guard let signature = try? privateKey(seed).signature(for: bytes) else {
        preconditionFailure("a key signs all bytes")
      }
      return Array(signature)
    #else
      withPrivateKey(seed) { key in
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var count = signatureByteCount
        return [UInt8](unsafeUninitializedCapacity: count) { signature, written in
          let isDone =
            EVP_DigestSignInit(context, nil, nil, nil, key) == 1
            && EVP_DigestSign(context, signature.baseAddress, &count, bytes, bytes.count) == 1
          precondition(isDone, "libcrypto does not sign")
          written = count
        }
      }
    #endif
  }

  /// Whether a signature of bytes is that of a key; false for bytes that cannot be either.
  package static func isSignature(
    _ signature: [UInt8], of bytes: [UInt8], byKey publicKey: [UInt8]
  ) -> Bool {
    #if canImport(CryptoKit)
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey)
      return key?.isValidSignature(signature, for: bytes) ?? false
    #else
      let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, publicKey.count)
      let context = EVP_MD_CTX_new()
      defer {
        EVP_MD_CTX_free(context)
        EVP_PKEY_free(key)
      }
      return key != nil && EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
        && EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
    #endif
  }

  #if canImport(CryptoKit)
    private static func privateKey(_ seed: [UInt8]) -> Curve25519.Signing.PrivateKey {
      guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else {
        preconditionFailure("a seed has 32 bytes")
      }
      return key
    }
  #else
    private static let signatureByteCount = 64

    private static func withPrivateKey<Result>(
      _ seed: [UInt8], _ body: (OpaquePointer) -> Result
    ) -> Result {
      guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count) else {
        preconditionFailure("a seed has 32 bytes")
      }
      defer { EVP_PKEY_free(key) }
      return body(key)
    }
  #endif
}
