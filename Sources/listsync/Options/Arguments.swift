import ArgumentParser
import ListDocuments
import ListModel
import SyncService

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
  static func revision(_ purpose: String) -> ArgumentHelp {
    ArgumentHelp("\(purpose): \(RevisionArgument.help)", valueName: "rev")
  }
  static let rendering = ArgumentHelp(
    "Answer in the words of another system, by indexes.", valueName: "rendering")
}
