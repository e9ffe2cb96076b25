import Configuration
import ListModel

/// A setting of the server: an option, an environment variable, and a member of the file.
struct Setting: Sendable {
  /// The member's name in the file. The option has `--` before it.
  let name: String
  let type: ConfigType
  /// Whether `listsync` reads the same variable.
  let isShared: Bool

  init(_ name: String, _ type: ConfigType = .string, isShared: Bool = false) {
    (self.name, self.type, self.isShared) = (name, type, isShared)
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
      Setting("wait", .int, isShared: true), Setting("host"),
      Setting("port", .int), Setting("unix-socket"), Setting("host-name", .stringArray),
      Setting("tls-certificate"), Setting("tls-key"), Setting("without-tokens", .bool),
      Setting("allow-origin", .stringArray),
      Setting("max-body", .int), Setting("max-connections", .int), Setting("idle-timeout", .int),
      Setting("shutdown-timeout", .int), Setting("publish"),
      Setting("sign-with", .stringArray),
    ] + Limit.allCases.map { Setting("max-\($0.rawValue)", .int, isShared: true) }
    + [Setting("log-level"), Setting("log-format")]

  /// The variable that names the file, as the option --config does.
  static let fileVariable = "LISTSYNCD_CONFIG"

  /// All settings with their three spellings, for the help.
  static let table =
    ([("option", "variable", "member of the file")] + all.map { ($0.option, $0.variable, $0.name) })
    .map { "  \($0.padding(to: 20))\($1.padding(to: 28))\($2)" }.joined(separator: "\n")

  /// Whether a value in the file is of this setting's kind, or a text for ArgumentParser to read.
  func takes(_ value: ContentView) -> Bool {
    switch (type, value.kind) {
    case (.bool, .boolean), (.int, .number): true
    case (.bool, _): false
    case (.stringArray, .array): value.elements.allSatisfy { $0.kind == .string }
    default: value.kind == .string
    }
  }

  /// A value as the words of a command line.
  func words(_ content: ConfigContent) -> [String] {
    switch content {
    case .string(let text): ["\(option)=\(text)"]
    case .int(let number): ["\(option)=\(number)"]
    case .bool(let isOn): isOn ? [option] : []
    case .stringArray(let texts): texts.map { "\(option)=\($0)" }
    default: preconditionFailure("no setting has this type")
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
