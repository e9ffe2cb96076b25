import Foundation
import ListModel

/// A setting of the server: an option, an environment variable, and a member of the file.
struct Setting: Sendable {
  enum Kind: Sendable {
    case text, texts, number, flag
  }

  /// The member's name in the file. The option has `--` before it.
  let name: String
  let kind: Kind
  /// Whether `listsync` reads the same variable.
  let isShared: Bool

  init(_ name: String, _ kind: Kind = .text, isShared: Bool = false) {
    (self.name, self.kind, self.isShared) = (name, kind, isShared)
  }

  var option: String { "--\(name)" }
  var variable: String {
    (isShared ? "LISTSYNC_" : "LISTSYNCD_")
      + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
  }

  /// In the order of `--help`. `SettingTests` compares them with the options.
  static let all =
    [
      Setting("store", isShared: true), Setting("schema"), Setting("read-from"),
      Setting("wait", .number, isShared: true), Setting("host"),
      Setting("port", .number), Setting("unix-socket"), Setting("host-name", .texts),
      Setting("tls-certificate"), Setting("tls-key"), Setting("without-tokens", .flag),
      Setting("allow-origin", .texts), Setting("max-body", .number),
      Setting("max-connections", .number), Setting("idle-timeout", .number),
      Setting("shutdown-timeout", .number), Setting("publish"), Setting("sign-with", .texts),
    ] + Limit.allCases.map { Setting("max-\($0.rawValue)", .number, isShared: true) }
    + [Setting("log-level"), Setting("log-format")]

  /// The variable that names the file, as the option --config does.
  static let fileVariable = "LISTSYNCD_CONFIG"

  /// All settings with their three spellings, for the help.
  static let table =
    ([("option", "variable", "member of the file")] + all.map { ($0.option, $0.variable, $0.name) })
    .map { "  \($0.padding(to: 20))\($1.padding(to: 28))\($2)" }.joined(separator: "\n")

  /// The form of a value, in words.
  var form: String {
    switch kind {
    case .text: "a text"
    case .texts: "an array of texts"
    case .number: "a whole number"
    case .flag: "true or false"
    }
  }

  /// The value of a variable as the words of a command line; nil if it is of another kind.
  func words(variable text: String) -> [String]? {
    switch kind {
    // ArgumentParser says which numbers are allowed.
    case .text, .number: ["\(option)=\(text)"]
    case .texts:
      text.split(separator: ",", omittingEmptySubsequences: false)
        .map { "\(option)=\($0.trimmingCharacters(in: .whitespaces))" }
    case .flag: ["true": [option], "false": []][text]
    }
  }

  /// The value of a member as the words of a command line; nil if it is of another kind.
  func words(member value: ContentView) -> [String]? {
    switch (kind, value.kind) {
    case (.text, .string), (.number, .number): value.scalarText.map { ["\(option)=\($0)"] }
    case (.texts, .array):
      value.elements.contains { $0.kind != .string }
        ? nil : value.elements.compactMap(\.scalarText).map { "\(option)=\($0)" }
    case (.flag, .boolean): words(variable: "\(value.content)")
    default: nil
    }
  }

  func isGiven(in words: [String]) -> Bool {
    words.contains { $0 == option || $0.hasPrefix("\(option)=") }
  }
}

extension String {
  fileprivate func padding(to length: Int) -> String {
    self + String(repeating: " ", count: Swift.max(1, length - count))
  }
}
