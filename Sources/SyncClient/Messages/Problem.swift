import Foundation
import ListDocuments
import ListModel

/// The members of a problem document (RFC 9457). The value is nil for another document, and a
/// member is nil if it has another type.
struct Problem {
  let type: String?
  /// The detail; without one, the title.
  let detail: String?
  /// The present name of a renamed list.
  let newName: ListName?

  /// The kind of the problem; nil for a type that this client does not know.
  var kind: ProblemKind? { ProblemKind.allCases.first { $0.type == type } }

  init(_ response: ReplicaResponse) {
    let document = try? JSONSerialization.jsonObject(with: Data(response.body))
    let members = document as? [String: Any] ?? [:]
    type = members["type"] as? String
    detail = members["detail"] as? String ?? members["title"] as? String
    newName = (members["new_name"] as? String).flatMap(ListName.init)
  }
}
