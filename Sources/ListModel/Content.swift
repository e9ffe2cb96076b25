/// A JSON value in canonical form, so that two contents are equal exactly when their bytes are.
///
/// Canonical means: members sorted by the UTF-8 bytes of their names, no white space, the shortest
/// escapes, numbers by their exact decimal value (``CanonicalNumber``). White space, the order of
/// members and the spelling of numbers and strings do not count; everything else does.
public struct Content: Hashable, Sendable, CustomStringConvertible {
  /// Canonical JSON as UTF-8.
  public let bytes: [UInt8]

  /// - Precondition: The bytes are canonical JSON, as ``CanonicalJSON`` makes it.
  package init(canonicalBytes bytes: [UInt8]) { self.bytes = bytes }

  /// Reads one JSON value.
  ///
  /// - Throws: `JSONError` when the text is not exactly one JSON value.
  public init(json text: String) throws(JSONError) {
    var parser = JSONParser(Array(text.utf8))
    parser.skipWhitespace()
    bytes = try parser.canonicalValue()
    try parser.expectEnd()
  }

  public var description: String { String(decoding: bytes, as: UTF8.self) }

  public static func == (a: Content, b: Content) -> Bool {
    a.bytes.count == b.bytes.count && a.bytes.hasBytes(a.bytes.indices, equalTo: b.bytes, from: 0)
  }
}

/// Tells whether contents are what they must be, one after the other; they are not only where they
/// were damaged in a store.
package struct ContentCheck {
  private var parser = JSONParser([])

  package init() {}

  package mutating func isCanonical(_ content: Content) -> Bool {
    parser.isCanonical(content.bytes)
  }
}
