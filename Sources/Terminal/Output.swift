import ArgumentParser
import Foundation

/// Standard output, the answer, and standard error, everything else.
package enum Output {
  package static func write(_ bytes: some Sequence<UInt8>) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(bytes))
    } catch {
      throw OutputError(reason: Failure.reason(error))
    }
  }

  package static func line(_ text: String) throws { try write((text + "\n").utf8) }

  /// Writes the answer to what was done already.
  ///
  /// - Parameter deed: what was kept, for the error where the answer cannot be written.
  package static func answer(keeping deed: @autoclosure () -> String, _ body: () throws -> Void)
    throws
  {
    // A reader that has gone away is told of as well: the process shall not end silently.
    signal(SIGPIPE, SIG_IGN)
    do {
      try body()
    } catch let error as OutputError {
      throw OutputError(reason: error.reason, kept: deed())
    }
  }

  /// Writes lines for people; what an error quotes of its input cannot steer the terminal.
  package static func note(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { printable(String($0)) + "\n" }
    // Nothing can be said where standard error itself fails.
    try? FileHandle.standardError.write(contentsOf: Data(lines.joined().utf8))
  }

  /// Text of unknown origin and length as an error quotes it: visible, and cut where it is long.
  package static func shortened(_ text: String) -> String {
    let scalarLimit = 200
    // Scalars, not characters: a million combining marks are one character.
    guard
      let end = text.unicodeScalars.index(
        text.startIndex, offsetBy: scalarLimit, limitedBy: text.endIndex), end < text.endIndex
    else { return printable(text) }
    return printable(String(text.unicodeScalars[..<end])) + "…"
  }

  /// Text of unknown origin for a terminal: what could steer it, turn the direction of the text
  /// around, or hide in it, becomes visible.
  package static func printable(_ text: String) -> String {
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

  /// Whether a character has no shape of its own. Variation selectors stay: they only choose the
  /// shape of the character before them.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value >= 0x20, scalar.value < 0x7F { return false }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
    }
  }
}

package struct OutputError: Error {
  package let reason: String
  /// What was done before; nil where the answer was all.
  package var kept: String?
}
