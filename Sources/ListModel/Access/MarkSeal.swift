import Hashing

/// Turns the numbers of changes into marks, and back.
///
/// Nobody can order marks, count with them, or make one. Equal numbers have equal marks, so that a
/// mark shows only whether anything has changed. A mark is 8 bytes of a keyed hash of the number,
/// and the number under 8 bytes of a keyed hash of these: the form of SIV (RFC 5297).
package struct MarkSeal: Sendable {
  private let key = (0..<32).map { _ in UInt8.random(in: .min ... .max) }

  package init() {}

  package func mark(of number: Int) -> String {
    let tag = hash(UInt64(number), as: 0)
    return Hex.encode(bytes(tag) + bytes(UInt64(number) ^ hash(tag, as: 1)))
  }

  /// Nil for a mark that another seal made, and for another text.
  package func number(of mark: String) -> Int? {
    guard mark.utf8.count == 32, let tag = UInt64(mark.prefix(16), radix: 16),
      let hidden = UInt64(mark.suffix(16), radix: 16),
      case let number = hidden ^ hash(tag, as: 1), hash(number, as: 0) == tag
    else { return nil }
    return Int(exactly: number)
  }

  /// All messages have one length, and most of the hash is dropped, so the key may stand before the
  /// message.
  private func hash(_ value: UInt64, as purpose: UInt8) -> UInt64 {
    SHA256.digest(of: key + [purpose] + bytes(value)).prefix
  }

  private func bytes(_ value: UInt64) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian, Array.init)
  }
}
