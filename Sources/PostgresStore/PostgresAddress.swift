/// The address of a database, as libpq reads it: `postgresql://store@db1,db2/listsync`, or key
/// words such as `host=db1 dbname=listsync`.
struct PostgresAddress: Sendable {
  private let text: String

  init(_ text: String) { self.text = text }

  /// The address without its password, for messages.
  var name: String { Self.withoutPassword(text) }

  /// The parameters of a connection. The address may override those before it, but not those after
  /// it. A machine that no longer answers is given up after half a minute; the system would wait
  /// for hours.
  var parameters: KeyValuePairs<String, String> {
    [
      "connect_timeout": "10", "tcp_user_timeout": "30000", "keepalives_idle": "10",
      "keepalives_interval": "10", "keepalives_count": "2",
      "fallback_application_name": "listsync", "dbname": text, "client_encoding": "UTF8",
    ]
  }

  /// Returns an address without its password. A password ends at the last `@` of the address, so a
  /// password in which `@` is not written as `%40` is hidden, too. A port that is not a number is
  /// also hidden, since it may be a part of a password.
  static func withoutPassword(_ address: String) -> String {
    // Compiling the expressions takes longer than opening a file.
    guard address.contains("://") || address.contains("password=") else { return address }
    return address.replacing(#/(?<start>://[^:@/?]*):.*@/#) { "\($0.start)@" }
      .replacing(#/(?<start>://[^:@/?\[]*):(?![0-9]*([/?,]|$))[^/?]*/#) { "\($0.start):…" }
      .replacing(#/(?<start>[?& ]|^)(ssl)?password=('[^']*'|[^& ]*)/#) { "\($0.start)password=…" }
  }

  /// The reason why the address cannot be used; nil if libpq may try it. A message of libpq could
  /// show a part of a password in which characters are not escaped.
  var fault: String? {
    guard let start = text.firstRange(of: "://") else { return nil }
    let rest = text[start.upperBound...]
    let place = rest.prefix { $0 != "/" && $0 != "?" }
    let path = rest.dropFirst(place.count).prefix { $0 != "?" }
    let parts = place.split(separator: "@", omittingEmptySubsequences: false)
    if parts.count > 2 || path.contains("@") {
      return "write '/', '@' and '?' of a user or password as %2F, %40 and %3F"
    }
    let hosts = parts.last?.split(separator: ",") ?? []
    let isSound = hosts.allSatisfy { $0.wholeMatch(of: #/(\[[^\]]*\]|[^:]*)(:[0-9]*)?/#) != nil }
    return isSound ? nil : "a port is a number"
  }
}
