/// The address of a database, as libpq reads it: `postgresql://store@db1,db2/listsync`, or words
/// such as `host=db1 dbname=listsync`.
struct PostgresAddress: Sendable {
  private let text: String

  init(_ text: String) { self.text = text }

  /// The address without its password, for messages.
  var name: String { Self.withoutPassword(text) }

  /// The parameters of a connection. Those before the address may be given otherwise by it.
  var parameters: KeyValuePairs<String, String> {
    [
      "connect_timeout": "10", "fallback_application_name": "listsync", "dbname": text,
      "client_encoding": "UTF8",
    ]
  }

  /// A password ends at the last `@` of an address, so that one which is not written as it must be
  /// (`@` as `%40`) is hidden, too; likewise a port that is no number.
  static func withoutPassword(_ address: String) -> String {
    // The expressions take longer to compile than a file to open.
    guard address.contains("://") || address.contains("password=") else { return address }
    return address.replacing(#/(?<start>://[^:@/?]*):.*@/#) { "\($0.start)@" }
      .replacing(#/(?<start>://[^:@/?\[]*):(?![0-9]*([/?,]|$))[^/?]*/#) { "\($0.start):…" }
      .replacing(#/(?<start>[?& ]|^)(ssl)?password=('[^']*'|[^& ]*)/#) { "\($0.start)password=…" }
  }

  /// Why the address cannot be used; nil if libpq may try it. A message of libpq could quote a part
  /// of a password that is not written as it must be.
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
