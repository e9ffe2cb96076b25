import ArgumentParser
import Foundation
import ListModel

/// A value that is written on the command line as a text that follows a rule.
package protocol ArgumentValue {
  /// The rule as a sentence, which is the error for other texts.
  static var argumentRule: String { get }

  init?(_ text: String)
}

extension ArgumentValue {
  /// - Throws: `ValidationError` with the rule.
  package init(argument text: some StringProtocol) throws {
    guard let value = Self(String(text)) else { throw ValidationError(Self.argumentRule) }
    self = value
  }
}

extension ListName: ArgumentValue {
  package static var argumentRule: String { "a list name is \(rule)." }
}

extension ArgumentHelp {
  package static let list: ArgumentHelp = "The list's name."
  package static let json: ArgumentHelp = "Print JSON, for programs."

  /// The help of an option that names a file.
  package static func file(_ text: String) -> ArgumentHelp {
    ArgumentHelp(text, valueName: "file")
  }
}

/// Settings that the environment gives, except the store.
package enum Settings {
  /// Foundation makes the dictionary again for each access.
  package static let environment = ProcessInfo.processInfo.environment

  /// - Throws: `InvalidSetting`.
  package static func limits() throws -> Limits {
    try Limits(environment: environment)
  }
}
