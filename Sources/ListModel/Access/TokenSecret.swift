import Crypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The secret of a token: whoever presents it has the token's rights.
///
/// Its text is shown once, to whoever made the token, and then known to its bearer alone. It is not
/// part of any description, so that it cannot end up in a log by way of one.
public struct TokenSecret: Sendable {
  /// What a secret begins with, so that people and programs that look for leaked ones know it.
  public static let prefix = "lst_"
  static let randomByteCount = 32

  public let text: String
  private let digest: SHA256.Digest

  /// A secret as somebody presents it: any text.
  ///
  /// - Complexity: O(bytes of the text), one SHA-256.
  public init(_ text: String) {
    self.text = text
    digest = SHA256.hash(data: Array(text.utf8))
  }

  /// Makes the secret of a new token: the prefix, and 32 random bytes in base64url without padding
  /// (RFC 4648, section 5).
  ///
  /// - Parameter random: a generator whose numbers nobody can foretell.
  public static func make(using random: inout some RandomNumberGenerator) -> TokenSecret {
    let bytes = (0..<randomByteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    let base64 = Data(bytes).base64EncodedString()
    let text = base64.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
    return TokenSecret(prefix + String(text))
  }

  public var hash: SecretHash { SecretHash(digest) }

  /// Whether the hash is this secret's; the time that takes tells nothing of how near it comes.
  public func matches(_ hash: SecretHash) -> Bool { digest == hash.bytes }
}

extension TokenSecret: CustomStringConvertible, CustomReflectable {
  public var description: String { "\(Self.prefix)…" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The SHA-256 of a token's secret: it tells the secret again, and does not lead back to it.
public struct SecretHash: Hashable, Sendable {
  public static let byteCount = SHA256.byteCount

  public let bytes: [UInt8]

  /// Nil when there are not 32 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  fileprivate init(_ digest: SHA256.Digest) { bytes = Array(digest) }
}
