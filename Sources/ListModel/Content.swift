/// A JSON value in canonical form: two contents are equal if and only if their bytes are.
///
/// Members are sorted by the UTF-8 bytes of their names; there is no white space; escapes are the
/// shortest; numbers are written by their exact decimal value (`CanonicalNumber`).
public struct Content: Hashable, Sendable, CustomStringConvertible {
  /// Canonical JSON as UTF-8.
  public let bytes: [UInt8]

  /// - Precondition: The bytes are canonical JSON, as ``CanonicalJSON`` makes it.
  package init(canonicalBytes bytes: [UInt8]) { self.bytes = bytes }

  /// Reads one JSON value.
  ///
  /// - Throws: `JSONError` when the text is not exactly one JSON value.
  public init(json text: String) throws(JSONError) { try self.init(json: Array(text.utf8)) }

  /// Reads one JSON value; the parameters are those of ``JSONParser``.
  package init(
    json bytes: [UInt8], limits: Limits = .standard, envelopeDepth: Int = 0
  ) throws(JSONError) {
    var parser = JSONParser(bytes, limits: limits, envelopeDepth: envelopeDepth)
    parser.skipWhitespace()
    self.bytes = try parser.canonicalValue()
    try parser.expectEnd()
  }

  public var description: String { String(decoding: bytes, as: UTF8.self) }

  public static func == (a: Content, b: Content) -> Bool {
    a.bytes.count == b.bytes.count && a.bytes.hasBytes(a.bytes.indices, equalTo: b.bytes, from: 0)
  }
}

/// Checks that contents from a store are canonical; only damaged ones are not.
package struct ContentCheck {
  private var parser = JSONParser([])

  package init() {}

  package mutating func isCanonical(_ content: Content) -> Bool {
    parser.isCanonical(content.bytes)
  }
}
