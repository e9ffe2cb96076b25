import ArgumentParser
import ListDocuments
import ListModel
import SyncService

extension Revision: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
  public static var defaultCompletionKind: CompletionKind { .revisions }
}

extension Rendering: ExpressibleByArgument {}

extension Int {
  /// Reads a count on the command line.
  ///
  /// - Throws: `ValidationError` when the text is not a number above 0.
  init(count text: String) throws {
    guard let count = Int(text), count > 0 else {
      throw ValidationError("a count is a whole number, 1 or more.")
    }
    self = count
  }
}

extension ArgumentHelp {
  static func revision(_ purpose: String) -> ArgumentHelp {
    ArgumentHelp("\(purpose): \(Revision.forms).", valueName: "rev")
  }
  static let rendering = ArgumentHelp("Print the changes in another format.", valueName: "format")
}
