import ListModel

/// A text with signatures: a [signed note](https://c2sp.org/signed-note).
///
/// The text, an empty line, and a line for each signature: `— NAME BASE64`, of the 4 bytes of the
/// key's id and the 64 bytes of the signature.
struct SignedNote: Equatable {
  static let highestByteCount = 16_384
  static let highestSignatureCount = 16
  private static let dash = "\u{2014}"

  struct Signature: Equatable {
    let name: String
    let id: [UInt8]
    let bytes: [UInt8]

    /// The name of its key for people.
    var label: String { "\(name)+\(Hex.encode(id))" }

    fileprivate init(by key: SigningKey, of text: String) {
      (name, id) = (key.verifier.name, key.verifier.id)
      bytes = key.signature(of: Array(text.utf8))
    }

    fileprivate init?(_ line: String) {
      let parts = line.parts(separator: " ")
      guard parts.count == 3, parts[0] == SignedNote.dash, VerifierKey.isName(parts[1]),
        let bytes = Base64.decode(parts[2]), bytes.count > VerifierKey.idByteCount
      else { return nil }
      name = parts[1]
      id = Array(bytes.prefix(VerifierKey.idByteCount))
      self.bytes = Array(bytes.dropFirst(VerifierKey.idByteCount))
    }

    fileprivate var line: String { "\(SignedNote.dash) \(name) \(Base64.encode(id + bytes))\n" }
  }

  /// The signed lines, each with its end.
  let text: String
  let signatures: [Signature]

  /// - Precondition: The text has no empty line, and ends with a line end.
  init(_ text: String, signedBy keys: [SigningKey]) {
    self.text = text
    signatures = keys.map { Signature(by: $0, of: text) }
  }

  /// Reads the written form; nil for another text.
  init?(_ note: String) {
    let bytes = Array(note.utf8)
    guard bytes.count <= Self.highestByteCount, bytes.last == UInt8(ascii: "\n"),
      bytes.allSatisfy({ $0 >= 0x20 || $0 == UInt8(ascii: "\n") })
    else { return nil }
    // Bytes: to Swift, LF after a combining mark or CR is a part of a character.
    let lines = bytes.dropLast().split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
    ).map { String(decoding: $0, as: UTF8.self) }
    guard let end = lines.lastIndex(of: ""), end > 0 else { return nil }
    let signatures = lines[(end + 1)...].map { Signature($0) }
    guard 1...Self.highestSignatureCount ~= signatures.count, !signatures.contains(nil) else {
      return nil
    }
    text = lines[..<end].map { $0 + "\n" }.joined()
    self.signatures = signatures.compactMap { $0 }
  }

  /// The written form.
  var description: String { "\(text)\n\(signatures.map(\.line).joined())" }

  /// Whether the note has signatures of a key, and all of them hold; nil if it has none.
  func isSigned(by key: VerifierKey) -> Bool? {
    // To Swift, two spellings of "é" are equal.
    let own = signatures.filter { $0.name.utf8.elementsEqual(key.name.utf8) && $0.id == key.id }
    if own.isEmpty { return nil }
    return own.allSatisfy { key.hasMade($0.bytes, of: Array(text.utf8)) }
  }
}
