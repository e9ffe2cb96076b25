import ArgumentParser
import ListModel

extension ListName {
  /// Reads a list's name on the command line.
  ///
  /// - Throws: `ValidationError`, which says what a name may be.
  package init(argument text: some StringProtocol) throws {
    guard let name = ListName(String(text)) else {
      throw ValidationError("'\(text)' is not a list name: use \(ListName.rule).")
    }
    self = name
  }
}

extension ArgumentHelp {
  package static let list = ArgumentHelp("The list's name.")
  package static let json: ArgumentHelp = "Answer in JSON, for programs."
}
