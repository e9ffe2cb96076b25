/// What a client can unpack, as its `Accept-Encoding` says (RFC 9110, 12.5.3).
struct AcceptedCoding: Equatable, Sendable {
  /// Whether gzip may be used.
  let gzip: Bool

  init(_ text: String?) {
    var (named, star): (Bool?, Bool?) = (nil, nil)
    for entry in (text ?? "").lowercased().split(separator: ",") {
      let parts = entry.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      let isRefused = parts.dropFirst().contains { parameter in
        parameter.hasPrefix("q=") && Double(parameter.dropFirst(2)) == 0
      }
      switch parts.first {
      case "gzip", "x-gzip": named = !isRefused
      case "*": star = !isRefused
      default: break
      }
    }
    gzip = named ?? star ?? false
  }
}
