import ListChanges
import ListModel

extension DeltaDocument {
  /// Makes the new snapshot from the one that the delta starts from.
  ///
  /// - Throws: `DeltaError.notTheStart` when the snapshot is another than `from` says,
  ///   `.changes` when the changes do not fit it, `.wrongResult` when the outcome is not what `to`
  ///   says. Nothing is handed out then.
  /// - Complexity: O(n + d log d) for n items and d changes, and a SHA-256 for every item.
  public func applied(to snapshot: Snapshot) throws(DeltaError) -> Snapshot {
    var list = ProvenList<[Item]>(snapshot)
    try list.apply(self)
    return list.snapshot
  }
}

/// Why a delta document was refused.
public enum DeltaError: Error, Equatable, Sendable {
  // When it is read.

  /// Thrown when the text is not JSON.
  case json(JSONError, at: TextPosition)
  /// Thrown when a member is missing or is not what the format says.
  case malformed(at: JSONPointer, expected: String)
  /// Thrown when a list, an item or an id is larger than a limit allows.
  case limit(ExceededLimit, at: JSONPointer)

  // When it is applied.

  /// Thrown when the snapshot is not the one that the delta starts from.
  case notTheStart(expected: Root, found: Root)
  /// Thrown when the changes do not fit the snapshot.
  case changes(ListChangesError<ItemID>)
  /// Thrown when the outcome is not the one that the delta promises.
  case wrongResult(expected: Root, found: Root)
}

extension DeltaError {
  /// The limit at fault; nil where none is.
  public var exceeded: ExceededLimit? {
    switch self {
    case .limit(let exceeded, _): exceeded
    case .json(let error, _): error.exceeded
    default: nil
    }
  }
}

extension DeltaError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .json(let error, let position): "\(position): \(error.asReason)"
    case .malformed(let place, let expected):
      "\(place.tokens.isEmpty ? "this" : "\(place)") is not \(expected)"
    case .limit(let exceeded, let place):
      place.tokens.isEmpty ? "\(exceeded)" : "\(place): \(exceeded)"
    case .notTheStart(let expected, let found):
      "the snapshot has the root \(found), the delta starts from \(expected)"
    case .changes(let error): "\(error)"
    case .wrongResult(let expected, let found):
      "the result has the root \(found), the delta promises \(expected)"
    }
  }
}
