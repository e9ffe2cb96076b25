import ArgumentParser
import Foundation

/// Colours text with SGR sequences (ECMA-48), or leaves it plain.
package struct Palette {
  package enum Choice: String, CaseIterable, ExpressibleByArgument {
    case auto, always, never
  }

  package let isColoured: Bool

  /// `auto` colours on a terminal, unless `NO_COLOR` is set (no-color.org).
  package init(_ choice: Choice) {
    switch choice {
    case .always: isColoured = true
    case .never: isColoured = false
    case .auto:
      let refused = !(Settings.environment["NO_COLOR"] ?? "").isEmpty
      isColoured = !refused && Screen.isTerminal
    }
  }

  package func red(_ text: String) -> String { paint(text, 31) }
  package func green(_ text: String) -> String { paint(text, 32) }
  package func yellow(_ text: String) -> String { paint(text, 33) }
  package func cyan(_ text: String) -> String { paint(text, 36) }
  package func bold(_ text: String) -> String { paint(text, 1) }
  package func dim(_ text: String) -> String { paint(text, 2) }

  private func paint(_ text: String, _ code: Int) -> String {
    isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

package struct ColourOptions: ParsableArguments {
  @Option(name: .customLong("color"), help: "Whether to colour the answer; auto: on a terminal.")
  package var choice: Palette.Choice = .auto

  package init() {}

  package var palette: Palette { Palette(choice) }
}

/// The terminal on standard output, as it was when the program started.
package enum Screen {
  package static let isTerminal = isatty(STDOUT_FILENO) == 1
  package static let size = size(of: STDOUT_FILENO)

  /// 80 columns and 24 rows if a descriptor is no terminal, or its size is unknown.
  package static func size(of descriptor: Int32) -> (columns: Int, rows: Int) {
    var size = winsize()
    guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(max(size.ws_row, 1)))
  }
}
