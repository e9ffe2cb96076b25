import ArgumentParser
import Foundation

/// Standard output, the answer, and standard error, everything else.
enum Output {
  static func write(_ bytes: some Sequence<UInt8>) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(bytes))
    } catch {
      throw OutputError(reason: error.localizedDescription)
    }
  }

  static func line(_ text: String) throws { try write((text + "\n").utf8) }

  /// Writes lines for people; what an error quotes of its input cannot steer the terminal.
  static func note(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { printable(String($0)) + "\n" }
    // Nothing can be said where standard error itself fails.
    try? FileHandle.standardError.write(contentsOf: Data(lines.joined().utf8))
  }

  /// Text of unknown origin and length as an error quotes it: visible, and cut where it is long.
  static func shortened(_ text: String) -> String {
    let scalarLimit = 200
    // Scalars, not characters: a million combining marks are one character.
    guard
      let end = text.unicodeScalars.index(
        text.startIndex, offsetBy: scalarLimit, limitedBy: text.endIndex), end < text.endIndex
    else { return printable(text) }
    return printable(String(text.unicodeScalars[..<end])) + "…"
  }

  /// Text of unknown origin for a terminal: control characters, which could steer it, become
  /// visible.
  static func printable(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x1F: result += " / "
      case 0x0A: result += "\\n"
      case 0..<0x20, 0x7F..<0xA0: result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

struct OutputError: Error {
  let reason: String
}
