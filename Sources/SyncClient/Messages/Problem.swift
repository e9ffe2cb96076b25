import Foundation
import ListDocuments
import ListModel

/// The members of a problem document (RFC 9457); nil for another document, and for a member of
/// another type.
struct Problem {
  let type: String?
  /// The detail, else the title.
  let detail: String?
  /// The present name of a renamed list.
  let newName: ListName?

  /// Nil for a type that this client does not know.
  var kind: ProblemKind? { ProblemKind.allCases.first { $0.type == type } }

  init(_ response: ReplicaResponse) {
    let document = try? JSONSerialization.jsonObject(with: Data(response.body))
    let members = document as? [String: Any] ?? [:]
    type = members["type"] as? String
    detail = members["detail"] as? String ?? members["title"] as? String
    newName = (members["new_name"] as? String).flatMap(ListName.init)
  }
}
