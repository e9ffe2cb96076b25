import Hashing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The secret of a token: every request that presents it has the token's rights.
///
/// Its text is shown once, when the token is made. No description contains it, so it cannot get
/// into logged messages.
public struct TokenSecret: Sendable {
  /// The start of each secret, so that people and programs can recognise leaked ones.
  public static let prefix = "lst_"
  static let randomByteCount = 32

  public let text: String
  private let digest: SHA256.Digest

  /// A presented secret: any text.
  ///
  /// - Complexity: O(bytes of the text), one SHA-256.
  public init(_ text: String) {
    self.text = text
    digest = SHA256.digest(of: Array(text.utf8))
  }

  /// Makes the secret of a new token: the prefix, and 32 random bytes in base64url without padding
  /// (RFC 4648, section 5).
  ///
  /// - Parameter random: a generator of unpredictable numbers.
  public static func make(using random: inout some RandomNumberGenerator) -> TokenSecret {
    let bytes = (0..<randomByteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    let base64 = Data(bytes).base64EncodedString()
    let text = base64.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
    return TokenSecret(prefix + String(text))
  }

  public var hash: SecretHash { SecretHash(digest) }

  /// Whether the hash is this secret's, in constant time.
  public func matches(_ hash: SecretHash) -> Bool { digest.isEqualInConstantTime(to: hash.bytes) }
}

extension TokenSecret: CustomStringConvertible, CustomReflectable {
  public var description: String { "\(Self.prefix)…" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The SHA-256 of a token's secret: it recognises the secret but cannot reveal it.
public struct SecretHash: Hashable, Sendable {
  public static let byteCount = SHA256.Digest.byteCount

  public let bytes: [UInt8]

  /// Nil unless there are 32 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  fileprivate init(_ digest: SHA256.Digest) { bytes = digest.bytes }
}
