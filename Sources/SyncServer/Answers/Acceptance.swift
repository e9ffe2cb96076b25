/// What a client can unpack, as its `Accept-Encoding` says (RFC 9110, 12.5.3).
struct AcceptedCoding: Equatable, Sendable {
  /// Whether gzip may be used.
  let gzip: Bool

  init(_ text: String?) {
    let preferences = Preference.list(text ?? "")
    let named = preferences.last { $0.name == "gzip" || $0.name == "x-gzip" }
    gzip = (named ?? preferences.last { $0.name == "*" })?.isWanted ?? false
  }
}

/// What a client can read, as its `Accept` says (RFC 9110, 12.5.1).
struct AcceptedTypes: Equatable, Sendable {
  private let preferences: [Preference]

  /// Nil, and a text that names no type, accept everything.
  init(_ text: String?) {
    preferences = Preference.list(text ?? "").filter { $0.name.contains("/") }
  }

  /// - Parameter mediaType: with or without parameters, which count for nothing.
  func accept(_ mediaType: String) -> Bool {
    if preferences.isEmpty { return true }
    let name = mediaType.prefix { $0 != ";" }.lowercased()
    let group = name.prefix { $0 != "/" } + "/*"
    // The closest range decides; who reads JSON reads what is written in it.
    var ranges = [name, String(group), "*/*"]
    if name.hasSuffix("+json") { ranges.insert("application/json", at: 1) }
    for range in ranges {
      if let found = preferences.last(where: { $0.name == range }) { return found.isWanted }
    }
    return false
  }
}

/// An entry of a header that lists what a client prefers.
struct Preference: Equatable, Sendable {
  /// In lower case, without parameters.
  let name: String
  /// Whether its weight is not 0.
  let isWanted: Bool

  static func list(_ text: String) -> [Preference] {
    text.split(separator: ",").compactMap { entry in
      let parts = entry.lowercased().split(separator: ";").map { part in
        String(part.filter { $0 != " " && $0 != "\t" })
      }
      guard let name = parts.first, !name.isEmpty else { return nil }
      let isRefused = parts.dropFirst().contains { parameter in
        parameter.hasPrefix("q=") && Double(parameter.dropFirst(2)) == 0
      }
      return Preference(name: name, isWanted: !isRefused)
    }
  }
}
