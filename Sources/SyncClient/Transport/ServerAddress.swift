import Foundation

/// The address of a ListSync server, such as `https://lists.example`. It may have the path prefix
/// of a proxy.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address without a final slash.
  public let text: String

  /// - Throws: `ReplicaError.badAddress` unless the text is `http://` or `https://`, a host, and
  ///   optionally a port from 1 to 65,535 and a path. A user name or password is refused, since the
  ///   address is stored in files and shown in messages.
  public init(_ text: String) throws(ReplicaError) {
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      scheme == "http" || scheme == "https", let host = parts.host, !host.isEmpty,
      parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
      parts.url != nil, parts.hasValidPort
    else { throw .badAddress(Self.withoutSecrets(text)) }
    var trimmed = text[...]
    while trimmed.hasSuffix("/") { trimmed = trimmed.dropLast() }
    self.text = String(trimmed)
  }

  public var description: String { text }

  /// The text without user name, password, query and fragment, for messages.
  private static func withoutSecrets(_ text: String) -> String {
    let end = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
    var shown = text[..<end]
    if let at = shown.lastIndex(of: "@") {
      let start = shown.firstRange(of: "://")?.upperBound ?? shown.startIndex
      shown = shown[..<min(start, at)] + "…" + shown[at...]
    }
    return end == text.endIndex ? String(shown) : shown + "…"
  }

  /// - Parameter target: a path with an initial slash, and a query.
  package func url(_ target: String) throws(ReplicaError) -> URL {
    guard let url = URL(string: text + target) else { throw .badAddress(text) }
    return url
  }
}

extension URLComponents {
  /// Whether the port, if there is one, is a number of a port. Foundation ends the process when it
  /// connects to a larger one, and takes one of twenty digits for none.
  fileprivate var hasValidPort: Bool {
    guard let range = rangeOfPort, let string, !string[range].isEmpty else { return true }
    return port.map((1...65_535).contains) ?? false
  }
}
