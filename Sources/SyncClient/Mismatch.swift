import ListDocuments
import ListModel

/// The reason for which a complete answer of the server was refused: it is damaged, or does not fit
/// the copy.
public enum Mismatch: Error, Equatable, Sendable {
  /// The document cannot be read, does not fit the copy, or leads to another list than it promises.
  case document(DeltaError)
  /// The document names no cursor to go on from.
  case noCursor
  /// The document is about another list.
  case otherList(ListName?)
  /// The document leads to a version that is not later than the copy's.
  case noProgress(to: Cursor)
  /// This number of consecutive pages had no change, and each announced more.
  case emptyPages(count: Int)
}

extension Mismatch: CustomStringConvertible {
  public var description: String {
    switch self {
    case .document(let error): "\(error)"
    case .noCursor: "the answer names no cursor to go on from"
    case .otherList(let name): "the answer is about \(name.map { "list '\($0)'" } ?? "no list")"
    case .noProgress(let cursor):
      "the answer's changes lead to \(cursor), which is no later version"
    case .emptyPages(let count): "\(count) answers in a row bring no change, and promise more"
    }
  }
}
