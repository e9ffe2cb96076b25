import ListDocuments
import ListModel

/// The members of a problem document (RFC 9457). A member is nil if it is missing or has another
/// type, and all of them are nil for another document.
struct ProblemDocument {
  let type: String?
  /// The detail; without one, the title.
  let detail: String?
  /// The present name of a renamed list.
  let newName: ListName?

  /// The kind of the problem; nil for a type that this client does not know.
  var kind: ProblemKind? { ProblemKind.allCases.first { $0.type == type } }

  init(_ response: ReplicaResponse) {
    let document = (try? Content(json: response.body)).map { ContentView($0) }
    func text(_ member: String) -> String? {
      document?.member(member).flatMap { $0.kind == .string ? $0.scalarText : nil }
    }
    (type, detail) = (text("type"), text("detail") ?? text("title"))
    newName = text("new_name").flatMap { ListName($0) }
  }
}
