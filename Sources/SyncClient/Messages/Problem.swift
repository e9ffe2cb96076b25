import ListModel

/// What a problem document (RFC 9457) says to a client; nothing where there is none.
struct Problem {
  static let tooOld = "urn:listsync:problem:too-old"
  static let diverged = "urn:listsync:problem:diverged"
  static let noSuchVersion = "urn:listsync:problem:no-such-version"

  let type: String?
  /// The detail, else the title.
  let detail: String?

  init(_ response: ReplicaResponse, _ limits: Limits) {
    var parser = JSONParser(response.body, limits: limits)
    parser.skipWhitespace()
    guard let bytes = try? parser.canonicalValue() else {
      (type, detail) = (nil, nil)
      return
    }
    let view = ContentView(Content(canonicalBytes: bytes))
    func text(_ name: String) -> String? {
      guard let member = view.member(name), member.kind == .string else { return nil }
      return member.scalarText
    }
    (type, detail) = (text("type"), text("detail") ?? text("title"))
  }
}
