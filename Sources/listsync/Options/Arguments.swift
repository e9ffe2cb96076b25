import ArgumentParser
import ListDocuments
import ListModel
import SyncService

extension ListName {
  /// Reads a list's name on the command line.
  ///
  /// - Throws: `ValidationError`, which says what a name may be.
  init(argument text: some StringProtocol) throws {
    guard let name = ListName(String(text)) else {
      throw ValidationError("'\(text)' is not a list name: use \(ListName.rule).")
    }
    self = name
  }
}

/// A revision on the command line.
struct RevisionArgument: ExpressibleByArgument {
  static let help = "\(Revision.forms)."

  let revision: Revision

  init(_ revision: Revision) { self.revision = revision }

  init?(argument: String) {
    guard let revision = Revision(argument) else { return nil }
    self.revision = revision
  }
}

extension Rendering: ExpressibleByArgument {}

extension ArgumentHelp {
  static let list = ArgumentHelp("The list's name.")
  static func revision(_ purpose: String) -> ArgumentHelp {
    ArgumentHelp("\(purpose): \(RevisionArgument.help)", valueName: "rev")
  }
  static let rendering = ArgumentHelp(
    "Answer in the words of another system, by indexes.", valueName: "rendering")
  static let json: ArgumentHelp = "Answer in JSON, for programs."
}
