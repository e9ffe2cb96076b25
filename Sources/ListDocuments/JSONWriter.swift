import ListModel

/// Writes JSON text value by value, with commas where needed. Values keep the order in which they
/// are written.
public struct JSONWriter {
  public private(set) var bytes: [UInt8] = []
  private var needsComma = false

  public init() {}

  /// The bytes of one object.
  public static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.object(members)
    return writer.bytes
  }

  public mutating func object(_ members: (inout JSONWriter) -> Void) {
    nest("{", "}", members)
  }

  public mutating func array(_ elements: (inout JSONWriter) -> Void) {
    nest("[", "]", elements)
  }

  private mutating func nest(
    _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, _ body: (inout JSONWriter) -> Void
  ) {
    separate()
    bytes.append(UInt8(ascii: opening))
    needsComma = false
    body(&self)
    bytes.append(UInt8(ascii: closing))
    needsComma = true
  }

  /// Starts a member; its value must be written next.
  public mutating func name(_ name: String) {
    separate()
    CanonicalString.append(quoted: name, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  public mutating func string(_ text: String) {
    separate()
    CanonicalString.append(quoted: text, to: &bytes)
    needsComma = true
  }

  public mutating func raw(_ text: String) { value(text.utf8) }

  public mutating func content(_ content: Content) { value(content.bytes) }

  private mutating func value(_ json: some Collection<UInt8>) {
    separate()
    bytes += json
    needsComma = true
  }

  public mutating func member(_ name: String, _ value: String?) {
    self.name(name)
    if let value { string(value) } else { raw("null") }
  }

  public mutating func member(_ name: String, _ value: Content) {
    self.name(name)
    content(value)
  }

  public mutating func member(_ name: String, _ value: Int) {
    self.name(name)
    raw(String(value))
  }

  public mutating func member(_ name: String, _ value: Bool) {
    self.name(name)
    raw(value ? "true" : "false")
  }

  /// Writes a member that is an object.
  public mutating func object(_ name: String, _ members: (inout JSONWriter) -> Void) {
    self.name(name)
    object(members)
  }

  /// Writes a member that is an array.
  public mutating func array(_ name: String, _ elements: (inout JSONWriter) -> Void) {
    self.name(name)
    array(elements)
  }

  /// Writes a member that is an array of objects.
  public mutating func objects<Element>(
    _ name: String, _ elements: some Sequence<Element>,
    _ members: (inout JSONWriter, Element) -> Void
  ) {
    array(name) { writer in
      for element in elements { writer.object { members(&$0, element) } }
    }
  }

  /// Ends the line before the next value, after the comma if there is one.
  public mutating func lineBreak() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = false
  }
}
