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
