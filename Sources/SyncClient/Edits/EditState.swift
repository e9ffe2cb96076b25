import ListModel

/// The state of a replica's edits, for an app to show.
public enum EditState: Equatable, Sendable {
  /// The copy has all edits.
  case none
  /// The edits are saved and shown, and will be sent; with the failure of the last try.
  case pending(Unavailability?)
  /// The edits are being sent.
  case sending
  /// The server has the edits; the copy follows.
  case sent
  /// The edits are saved and shown, and are not sent before the app decides.
  case refused(EditRefusal)
}

/// The reason for which edits are not sent.
public enum EditRefusal: Equatable, Sendable {
  /// Others have changed the same members, or removed a changed item. The edits are shown until
  /// ``ReplicaSession/resolve(preferring:)``, ``ReplicaSession/discardEdits()`` or a further edit
  /// decides.
  case conflicts([ItemMerge.Conflict])
  /// The server refuses the edits: they are sent again after ``ReplicaSession/resume()``.
  case error(ReplicaError)
  /// The list is that of a publication, which takes no edits.
  case readOnly
  /// The version that the edits were made from was pruned after they were sent, and no answer came:
  /// the server may have them. ``ReplicaSession/resolve(preferring:)`` sends them as new ones.
  case unknownOutcome
}

/// An error of an edit, which changes nothing.
public enum EditError: Error, Equatable, Sendable {
  /// Thrown when the edited items are not a list: an id occurs twice, or an element cannot be
  /// encoded.
  case notAList(reason: String)
  /// Thrown when the list of a publication is edited.
  case readOnly
  /// Thrown when the replica is stopped, or has no copy that its key has signed.
  case notEditable
}

extension EditError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notAList(let reason): "the edited items are not a list: \(reason)"
    case .readOnly: "the list is a publication, which takes no edits: edit it on its server"
    case .notEditable: "the list cannot be edited: its replica is stopped, or has no signed copy"
    }
  }
}
