import Foundation

/// Where a ListSync server is: `https://lists.example`, or with a path that a proxy puts before its
/// own.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// Without a slash at the end.
  public let text: String

  /// - Throws: `ReplicaError.badAddress` unless the text is `http://` or `https://`, a host, and at
  ///   most a port and a path. A name or password in it is refused too: they would end up in files
  ///   and messages.
  public init(_ text: String) throws(ReplicaError) {
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      scheme == "http" || scheme == "https", let host = parts.host, !host.isEmpty,
      parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
      parts.url != nil
    else { throw .badAddress(text) }
    var trimmed = text[...]
    while trimmed.hasSuffix("/") { trimmed = trimmed.dropLast() }
    self.text = String(trimmed)
  }

  public var description: String { text }

  /// - Parameter target: a path that begins with a slash, and a query.
  func url(_ target: String) throws(ReplicaError) -> URL {
    guard let url = URL(string: text + target) else { throw .badAddress(text + target) }
    return url
  }
}
