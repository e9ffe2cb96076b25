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
    else { throw .badAddress(Self.withoutSecrets(text)) }
    var trimmed = text[...]
    while trimmed.hasSuffix("/") { trimmed = trimmed.dropLast() }
    self.text = String(trimmed)
  }

  public var description: String { text }

  /// The text as a message may quote it: a name and password, a query and a fragment are left out.
  private static func withoutSecrets(_ text: String) -> String {
    let end = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
    var shown = text[..<end]
    if let at = shown.lastIndex(of: "@") {
      let start = shown.firstRange(of: "://")?.upperBound ?? shown.startIndex
      shown = shown[..<min(start, at)] + "…" + shown[at...]
    }
    return end == text.endIndex ? String(shown) : shown + "…"
  }

  /// - Parameter target: a path that begins with a slash, and a query.
  package func url(_ target: String) throws(ReplicaError) -> URL {
    guard let url = URL(string: text + target) else { throw .badAddress(text) }
    return url
  }
}
