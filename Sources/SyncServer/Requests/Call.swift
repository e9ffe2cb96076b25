import HTTPTypes
import Hummingbird
import ListModel
import SyncService

/// A request as a route sees it: its address read, its caller known.
struct Call: Sendable {
  let request: Request
  let context: ServerContext
  let query: QueryParameters
  let caller: Caller

  /// The decoded text in the address in place of `{name}`.
  ///
  /// - Throws: `Problem` of type `invalid-request` if the text is not percent-encoded UTF-8.
  func pathValue(_ name: String) throws(Problem) -> String {
    guard let value = PercentEncoding.decode(context.parameters[name[...]] ?? "") else {
      throw .invalid("the address is not percent-encoded UTF-8")
    }
    return value
  }

  /// The list that the address names.
  ///
  /// - Throws: `Problem` of type `not-found` if no list can have the name, `invalid-request` as
  ///   above.
  func listName() throws(Problem) -> ListName {
    let text = try pathValue("list")
    guard let name = ListName(text) else { throw .noSuchList(text) }
    return name
  }

  /// The item that the address names, in its path or in its query.
  ///
  /// URL parsers remove the ids `.` and `..` from a path, also when they are escaped, and some
  /// proxies decode a path. A query arrives as it was sent.
  func itemID() throws(Problem) -> ItemID {
    if context.parameters["item"] != nil { return ItemID(try pathValue("item")) }
    guard let id = query["item"], !id.isEmpty else { throw .invalid("name an item: item=ID") }
    return ItemID(id)
  }

  func revision(_ parameter: String) throws(Problem) -> Revision? {
    try query.value(parameter, "one of: \(Revision.forms)") { Revision($0) }
  }
}
