import HTTPTypes
import Hummingbird
import ListModel
import NIOCore
import SyncService

/// A request as a route sees it: its address read, its caller known.
struct Call: Sendable {
  let request: Request
  /// What stands in the address in the place of `{…}`, decoded.
  let pathValues: [String: String]
  let query: Query
  let caller: Caller
  let id: String
  /// What carries the request; nil in a test in process.
  let connection: (any Channel)?

  /// The list that the address names.
  ///
  /// - Throws: `Problem` of type `not-found` when no list can have the name.
  func listName() throws(Problem) -> ListName {
    let text = pathValues["list"] ?? ""
    guard let name = ListName(text) else { throw .noSuchList(text) }
    return name
  }

  func revision(_ parameter: String) throws(Problem) -> Revision? {
    try query.value(parameter, "one of: \(Revision.forms)") { Revision($0) }
  }
}
