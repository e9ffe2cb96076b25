import ListModel

/// The addresses of a server's resources.
package enum Address {
  package static func list(_ list: ListName) -> String { "/v1/lists/\(list)" }

  package static func version(_ cursor: Cursor, of list: ListName) -> String {
    "\(Self.list(list))/versions/\(cursor)"
  }

  /// Which lists have changed.
  ///
  /// - Parameter mark: nil for the present mark alone.
  package static func changes(since mark: String?, waitSeconds: Int) -> String {
    guard let mark else { return "/v1/changes?limit=0" }
    return "/v1/changes?since=\(mark)&wait=\(waitSeconds)"
  }

  /// The newest versions before one.
  package static func versions(of list: ListName, before: Version, count: Int) -> String {
    "\(Self.list(list))/versions?before=\(before)&limit=\(count)"
  }

  /// - Parameters:
  ///   - to: nil for the newest version.
  ///   - rest: further parameters in normal form, each with its `&`.
  package static func delta(
    of list: ListName, since: Cursor, to: Cursor? = nil, rest: String
  ) -> String {
    "\(Self.list(list))/delta?since=\(since)\(to.map { "&to=\($0)" } ?? "")\(rest)"
  }

  /// The relative reference that leads from one address of a server to another.
  ///
  /// A client resolves it against the address that it has asked. So it is right behind a proxy that
  /// serves the server below a path of its own.
  ///
  /// - Parameter path: the path of the request.
  /// - Source: RFC 3986, 5.2.
  package static func relative(_ address: String, from path: String) -> String {
    let from = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let to = address.split(separator: "/", omittingEmptySubsequences: false)
    let shared = zip(from, to.dropLast()).prefix { $0 == $1 }.count
    return String(repeating: "../", count: from.count - shared)
      + to.dropFirst(shared).joined(separator: "/")
  }
}
