import ArgumentParser
import ListDocuments
import ListModel
import SyncService

/// A list's name on the command line.
struct ListArgument: ExpressibleByArgument {
  let name: ListName

  init?(argument: String) {
    guard let name = ListName(argument) else { return nil }
    self.name = name
  }

  static func refusal(_ text: String) -> ValidationError {
    ValidationError("'\(text)' is not a list name: use \(ListName.rule).")
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
