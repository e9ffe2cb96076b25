import Foundation
import ListDocuments
import ListModel

/// Standard output gets the answer, standard error everything else.
enum Output {
  static func write(_ bytes: some Sequence<UInt8>) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(bytes))
    } catch {
      throw OutputError(reason: Failure.reason(error))
    }
  }

  static func line(_ text: String) throws { try write((text + "\n").utf8) }

  /// Writes a JSON object on a line of its own.
  static func object(_ members: (inout JSONWriter) -> Void) throws {
    try write(JSONWriter.object(members) + "\n".utf8)
  }

  /// Writes the answer of a verb that has changed something.
  ///
  /// - Parameter change: the change, for the error when the answer cannot be written.
  static func answer(
    afterChange change: @autoclosure () -> String, _ body: () throws -> Void
  )
    throws
  {
    // A closed pipe must raise an error, not end the process silently.
    signal(SIGPIPE, SIG_IGN)
    do {
      try body()
    } catch let error as OutputError {
      throw OutputError(reason: error.reason, change: change())
    }
  }

  /// Writes lines for people to standard error. Quoted input cannot steer the terminal.
  static func diagnostic(_ text: String) { writeError(printableLines(text).utf8) }

  /// Asks a person, on standard error.
  static func question(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// Writes a problem document as a line on standard error. Its texts must be printable.
  static func problem(_ document: [UInt8]) { writeError(document) }

  private static func writeError(_ line: some Sequence<UInt8>) {
    // There is no way to report that standard error itself fails.
    try? FileHandle.standardError.write(contentsOf: Data(line) + Data("\n".utf8))
  }

  /// Makes each line of a text printable.
  static func printableLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }
      .joined(separator: "\n")
  }

  /// Makes untrusted text printable for an error message, and cuts it after 200 scalars.
  static func shortened(_ text: String) -> String { printable(text.shortened) }

  /// Escapes the characters of untrusted text that could steer a terminal, change the direction of
  /// the text, or be invisible.
  static func printable(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\u{1F}": result += " / "
      case "\n": result += "\\n"
      case _ where isHidden(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// An id as a line of its own: printable on a terminal, elsewhere with its bytes, for programs.
  ///
  /// Elsewhere, an id that has a line end or begins with a quote is a JSON string, so each line is
  /// one id, and different ids have different lines.
  static func line(of id: ItemID, onTerminal: Bool = Screen.isTerminal) -> String {
    if onTerminal { return printable(id.text) }
    let bytes = id.text.utf8
    guard bytes.first == UInt8(ascii: "\"") || bytes.contains(where: { [0x0A, 0x0D].contains($0) })
    else { return id.text }
    return String(decoding: CanonicalString.quoted(id.text), as: UTF8.self)
  }

  /// Whether a character is invisible. Variation selectors stay: they only choose the shape of the
  /// character before them.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value >= 0x20, scalar.value < 0x7F { return false }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
    }
  }
}

struct OutputError: Error {
  let reason: String
  /// The change that was made before the answer; nil for a verb that changes nothing.
  var change: String?
}
