import ListDocuments
import ListModel

/// The members of a problem document (RFC 9457); nil for another document.
struct Problem {
  let type: String?
  /// The detail, else the title.
  let detail: String?

  /// Nil for a type that this client does not know.
  var kind: ProblemKind? { ProblemKind.allCases.first { $0.type == type } }

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
