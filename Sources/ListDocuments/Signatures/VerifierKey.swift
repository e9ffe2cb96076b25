import Foundation
import Hashing
import ListModel

/// The public key of a signer of heads, as C2SP's signed note and Go's `sumdb/note` write it:
/// `NAME+ID+BASE64`, for an Ed25519 key.
///
/// The id is the first 4 bytes of SHA-256( name, LF, 01, public key ), in hex. It tells keys of one
/// name apart, and proves nothing.
public struct VerifierKey: Hashable, Sendable, CustomStringConvertible {
  /// The rule of names, for messages.
  public static let nameRule = "a text without spaces and '+', such as lists.example"

  public let name: String
  /// 4 bytes.
  let id: [UInt8]
  /// 32 bytes.
  public let publicKey: [UInt8]

  /// Nil for a name that no key can have, and bytes that are not 32, or not the one encoding of
  /// their point.
  public init?(name: String, publicKey: [UInt8]) {
    guard Self.isName(name), Self.isCanonical(publicKey) else { return nil }
    (self.name, self.publicKey) = (name, publicKey)
    let hash = SHA256.digest(of: Array(name.utf8) + [UInt8(ascii: "\n")] + Self.typed(publicKey))
    id = Array(hash.bytes.prefix(Self.idByteCount))
  }

  /// Reads the written form. Nil for another text, and if the id is that of another key.
  public init?(_ text: String) {
    let parts = text.parts(separator: "+", maxSplits: 2)
    guard parts.count == 3, let bytes = Base64.decode(parts[2]), bytes.first == Self.type,
      let key = VerifierKey(name: parts[0], publicKey: Array(bytes.dropFirst())),
      Hex.encode(key.id) == parts[1]
    else { return nil }
    self = key
  }

  public var description: String { "\(label)+\(Base64.encode(Self.typed(publicKey)))" }

  /// `NAME+ID`: the name of the key for people.
  public var label: String { "\(name)+\(Hex.encode(id))" }

  static let idByteCount = 4
  /// Ed25519.
  private static let type: UInt8 = 1

  /// The bytes of a key with its type before them.
  static func typed(_ bytes: [UInt8]) -> [UInt8] { [type] + bytes }

  /// Whether it can be the name of a key.
  static func isName(_ text: some StringProtocol) -> Bool {
    !text.isEmpty
      && text.unicodeScalars.allSatisfy { scalar in
        !scalar.properties.isWhitespace && scalar != "+" && scalar.value >= 0x20
      }
  }

  /// Whether bytes are the one encoding of a point that RFC 8032 (5.1.3) allows: y is below
  /// 2^255 − 19, and x is not −0, where y is 1 or −1.
  ///
  /// There may be no such point; then no signature of the key holds.
  private static func isCanonical(_ point: [UInt8]) -> Bool {
    guard point.count == 32, let last = point.last else { return false }
    let y = Array(point.dropLast()) + [last & 0x7f]
    func number(from first: UInt8) -> [UInt8] {
      [first] + Array(repeating: 0xff, count: 30) + [0x7f]
    }
    let (prime, minusOne) = (number(from: 0xed), number(from: 0xec))
    let one: [UInt8] = [1] + Array(repeating: 0, count: 31)
    return y.reversed().lexicographicallyPrecedes(prime.reversed())
      && (last < 0x80 || y != one && y != minusOne)
  }

  /// Whether a signature of bytes is that of the key (RFC 8032).
  func hasMade(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    Ed25519.isSignature(signature, of: bytes, byKey: publicKey)
  }
}

/// A private key, which signs heads: `PRIVATE+KEY+NAME+ID+BASE64`, as Go's `sumdb/note` writes it.
public struct SigningKey: Sendable {
  /// The public key of it.
  public let verifier: VerifierKey
  /// 32 bytes.
  private let seed: [UInt8]

  /// A new key. Nil for a name that no key can have.
  public init?(name: String) {
    self.init(
      name: name, seed: (0..<Ed25519.keyByteCount).map { _ in UInt8.random(in: .min ... .max) })
  }

  /// Reads the written form, with or without a line end. Nil for another text.
  public init?(_ text: String) {
    let parts = text.drop(suffix: "\n").parts(separator: "+", maxSplits: 4)
    guard parts.count == 5, parts[..<2].elementsEqual(Self.mark),
      let bytes = Base64.decode(parts[4]), case let seed = Array(bytes.dropFirst()),
      bytes == VerifierKey.typed(seed), let key = SigningKey(name: parts[2], seed: seed),
      parts[3] == Hex.encode(key.verifier.id)
    else { return nil }
    self = key
  }

  private init?(name: String, seed: [UInt8]) {
    guard seed.count == Ed25519.keyByteCount,
      let verifier = VerifierKey(name: name, publicKey: Ed25519.publicKey(ofSeed: seed))
    else { return nil }
    (self.verifier, self.seed) = (verifier, seed)
  }

  /// The written form, with which everybody can sign.
  public var secretText: String {
    (Self.mark + [verifier.label, Base64.encode(VerifierKey.typed(seed))]).joined(separator: "+")
  }

  private static let mark = ["PRIVATE", "KEY"]

  func signature(of bytes: [UInt8]) -> [UInt8] { Ed25519.signature(of: bytes, bySeed: seed) }
}

/// Base64 of RFC 4648, section 4, with padding.
enum Base64 {
  static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// Decodes a text; nil if ``encode(_:)`` does not write its bytes in the same way.
  static func decode(_ text: String) -> [UInt8]? {
    guard let bytes = Data(base64Encoded: text).map(Array.init), encode(bytes) == text else {
      return nil
    }
    return bytes
  }
}

extension StringProtocol {
  fileprivate func drop(suffix: String) -> SubSequence {
    hasSuffix(suffix) ? dropLast(suffix.count) : self[...]
  }

  /// The parts between separators.
  ///
  /// To Swift, a separator and a combining mark behind it are one character, so scalars are split.
  func parts(separator: Unicode.Scalar, maxSplits: Int = .max) -> [String] {
    unicodeScalars.split(
      separator: separator, maxSplits: maxSplits, omittingEmptySubsequences: false
    ).map { String(String.UnicodeScalarView($0)) }
  }
}
