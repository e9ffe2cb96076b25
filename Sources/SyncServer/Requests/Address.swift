import ListModel

/// Where things stand on this server.
enum Address {
  static func list(_ list: ListName) -> String { "/v1/lists/\(list)" }

  static func version(_ cursor: Cursor, of list: ListName) -> String {
    "\(Self.list(list))/versions/\(cursor)"
  }

  /// - Parameter rest: further parameters in their normal form, each with its `&`.
  static func delta(of list: ListName, since: Cursor, to: Cursor, rest: String) -> String {
    "\(Self.list(list))/delta?since=\(since)&to=\(to)\(rest)"
  }
}
