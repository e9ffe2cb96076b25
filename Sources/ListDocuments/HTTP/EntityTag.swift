import Hashing
import ListModel

/// The validator of an answer: the quoted cursor of its state; with a digest if the bytes depend on
/// more than the cursor and the address, and a suffix if the answer is compressed.
///
///     "7-3f9a1c2b7d40"   "7-3f9a1c2b7d40+gzip"   "7-3f9a1c2b7d40+0c1d2e3f4a5b+gzip"
package struct EntityTag: Equatable, Sendable, CustomStringConvertible {
  package let cursor: Cursor
  package var variant: Variant?
  package var isGzip = false

  /// Distinguishes answers with the same state and address.
  package struct Variant: Equatable, Sendable, CustomStringConvertible {
    private static let digitCount = 12

    package let description: String

    /// - Parameter bytes: the answer's bytes, or everything else that determines them.
    package init(of bytes: some Sequence<UInt8>) {
      let digest = SHA256.digest(of: Array(bytes))
      description = Hex.encode(digest.bytes.prefix(Self.digitCount / 2))
    }

    /// Nil when the text is not a variant.
    package init?(_ text: Substring) {
      guard text.utf8.count == Self.digitCount, text.allSatisfy({ $0.isASCII && $0.isHexDigit })
      else { return nil }
      description = String(text)
    }
  }

  package init(cursor: Cursor, variant: Variant? = nil, isGzip: Bool = false) {
    self.cursor = cursor
    self.variant = variant
    self.isGzip = isGzip
  }

  /// Reads the text between the quotes; nil when it is no tag of this server.
  package init?(_ text: String) {
    var parts = text.split(separator: "+", omittingEmptySubsequences: false)
    guard let cursor = Cursor(String(parts.removeFirst())) else { return nil }
    self.cursor = cursor
    if parts.last == Self.gzip {
      isGzip = true
      parts.removeLast()
    }
    if let last = parts.popLast() {
      guard let variant = Variant(last), parts.isEmpty else { return nil }
      self.variant = variant
    }
  }

  private static let gzip: Substring = "gzip"

  package var description: String {
    let parts = [cursor.description, variant?.description, isGzip ? String(Self.gzip) : nil]
    return "\"\(parts.compactMap(\.self).joined(separator: "+"))\""
  }
}

/// The value of `If-Match` or `If-None-Match`.
package enum EntityTagCondition: Equatable, Sendable {
  /// `*`
  case any
  /// The tags of this server; others match nothing. A strong comparison ignores tags with `isWeak`.
  case tags([Entry])

  package struct Entry: Equatable, Sendable {
    package let tag: EntityTag
    package let isWeak: Bool
  }

  /// Reads a header's value; nil when it is not a list of entity tags.
  ///
  /// - Source: RFC 9110, 5.6.1, 8.8.3 and 13.1.
  package init?(_ text: String) {
    var rest = text.utf8[...]
    rest.trimBlanks()
    if rest.elementsEqual("*".utf8) {
      self = .any
      return
    }
    var entries: [Entry] = []
    var tagCount = 0
    while !rest.isEmpty {
      // Empty elements of a list are ignored.
      if rest.first != UInt8(ascii: ",") {
        guard let (tag, isWeak) = Self.tag(from: &rest) else { return nil }
        if let tag = EntityTag(tag) { entries.append(Entry(tag: tag, isWeak: isWeak)) }
        tagCount += 1
        rest.trimBlanks()
        guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
      }
      rest = rest.dropFirst()
      rest.trimBlanks()
    }
    if tagCount == 0 { return nil }
    self = .tags(entries)
  }

  /// The next tag without its quotes.
  private static func tag(
    from rest: inout Substring.UTF8View.SubSequence
  ) -> (String, isWeak: Bool)? {
    let isWeak = rest.starts(with: "W/".utf8)
    if isWeak { rest = rest.dropFirst(2) }
    guard rest.first == UInt8(ascii: "\"") else { return nil }
    rest = rest.dropFirst()
    guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
    let tag = String(Substring(rest[..<end]))
    rest = rest[end...].dropFirst()
    return (tag, isWeak)
  }

  /// Whether an answer has one of the tags, compressed or not, weak or not, as for `If-None-Match`.
  package func matches(_ tag: EntityTag) -> Bool {
    switch self {
    case .any: true
    case .tags(let entries):
      entries.contains { $0.tag.cursor == tag.cursor && $0.tag.variant == tag.variant }
    }
  }

  /// The cursor of the first tag, weak or strong, compressed or not.
  package var firstCursor: Cursor? {
    if case .tags(let entries) = self { entries.first?.tag.cursor } else { nil }
  }

  /// The cursors of strong tags, which `If-Match` needs. Any variant proves that its owner has seen
  /// the state.
  package var strongCursors: [Cursor] {
    switch self {
    case .any: []
    case .tags(let entries): entries.filter { !$0.isWeak }.map(\.tag.cursor)
    }
  }
}

extension Substring.UTF8View {
  fileprivate mutating func trimBlanks() {
    while let first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") { removeFirst() }
    while let last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { removeLast() }
  }
}
