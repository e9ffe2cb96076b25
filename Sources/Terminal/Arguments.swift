import ArgumentParser
import ListModel

extension ListName {
  /// Reads a list's name on the command line.
  ///
  /// - Throws: `ValidationError`, which tells the rule of names.
  package init(argument text: some StringProtocol) throws {
    guard let name = ListName(String(text)) else {
      throw ValidationError("a list name is \(ListName.rule).")
    }
    self = name
  }
}

extension ArgumentHelp {
  package static let list: ArgumentHelp = "The list's name."
  package static let json: ArgumentHelp = "Print JSON, for programs."
}
