import ArgumentParser
import Foundation

/// Colours text with SGR sequences (ECMA-48), or leaves it plain.
struct Palette {
  enum Choice: String, CaseIterable, ExpressibleByArgument {
    case auto, always, never
  }

  let isColoured: Bool

  /// `auto` colours on a terminal, unless `NO_COLOR` is set (no-color.org).
  init(_ choice: Choice) {
    switch choice {
    case .always: isColoured = true
    case .never: isColoured = false
    case .auto:
      let refused = !(Settings.environment["NO_COLOR"] ?? "").isEmpty
      isColoured = !refused && Screen.isTerminal
    }
  }

  func red(_ text: String) -> String { paint(text, 31) }
  func green(_ text: String) -> String { paint(text, 32) }
  func yellow(_ text: String) -> String { paint(text, 33) }
  func cyan(_ text: String) -> String { paint(text, 36) }
  func bold(_ text: String) -> String { paint(text, 1) }
  func dim(_ text: String) -> String { paint(text, 2) }

  private func paint(_ text: String, _ code: Int) -> String {
    isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

struct ColourOptions: ParsableArguments {
  @Option(name: .customLong("color"), help: "Whether to colour the answer; auto: on a terminal.")
  var choice: Palette.Choice = .auto

  var palette: Palette { Palette(choice) }
}

/// The terminal on standard output, as it was when the program started.
enum Screen {
  static let isTerminal = isatty(STDOUT_FILENO) == 1
  static let size = size(of: STDOUT_FILENO)

  /// 80 columns and 24 rows if a descriptor is no terminal, or its size is unknown.
  static func size(of descriptor: Int32) -> (columns: Int, rows: Int) {
    var size = winsize()
    guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(max(size.ws_row, 1)))
  }
}
