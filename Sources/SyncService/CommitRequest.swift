import ListModel
import ListStore

/// A request for the next version of a list.
public struct CommitRequest: Sendable {
  public enum Content: Sendable {
    /// The whole list.
    case whole(ListOutline)
    /// Changes to the head, the state that they start from, and the state that they lead to; nil if
    /// the author does not know it.
    case changes(BareChanges, from: ListState, to: ListState?)
    /// Changes of single items, in the order in which they are done.
    case edits([Edit])
    /// The list as it was at a version.
    case revert(to: Revision)

    /// A whole list that is in memory.
    public static func snapshot(_ snapshot: Snapshot) -> Content {
      .whole(ListOutline(snapshot))
    }
  }

  public let list: ListName
  public let content: Content
  /// The versions or cursors that the author has seen, one of which must be the head; empty if the
  /// author has seen none. ``Revision/head`` is met by each version of a list that is there; other
  /// revisions are never met.
  public var expected: [Revision] = []
  /// Non-nil for a request that is merged if the head is not the one expected version, its base;
  /// nil for one that is then refused.
  public var merging: Merging?
  public var author: String?
  public var message: String?
  /// The time of the new version; nil for the time of the service's clock.
  public var time: Timestamp?
  /// Whether ``time`` may be before that of the head. The service's clock always may.
  public var allowsEarlierTime = false
  /// The rule by which ids were found in the snapshot's file. The list stores it; nil keeps the
  /// rule that the list has.
  public var idRule: String?
  /// Whether a whole list whose ids were found by another rule than before may have none of the ids
  /// of the head.
  public var allowsNewIDs = false
  /// The member that is the title of an item. The list stores it; nil keeps what the list has.
  public var titlePath: JSONPointer?
  /// How many items of the head a whole list or changes may remove, and update. Edits and a revert
  /// name what they change, and may change any number. The list stores the limits; it keeps those
  /// that are not given.
  public var limits: [LimitedChange: ChangeLimit] = [:]
  /// The kinds of change for which this commit has no limit.
  public var forcedChanges: Set<LimitedChange> = []
  /// Whether the commit may begin a new history under the name of a list that was dropped or
  /// renamed.
  public var beginsAgain = false

  /// The items of the head that have another id in the request.
  public private(set) var sameItems: [SameItem] = []

  /// Says that items have other ids from now on. The message gets lines that say so.
  ///
  /// - Precondition: The request has its message.
  public mutating func identify(_ items: [SameItem]) {
    sameItems = items
    message = items.message(message)
  }

  public init(list: ListName, _ content: Content) {
    self.list = list
    self.content = content
  }

  public init(list: ListName, snapshot: Snapshot) { self.init(list: list, .snapshot(snapshot)) }

  public init(list: ListName, edits: [Edit]) { self.init(list: list, .edits(edits)) }

  public init(list: ListName, revertTo revision: Revision) {
    self.init(list: list, .revert(to: revision))
  }
}

public enum CommitOutcome: Equatable, Sendable {
  /// The list has a new version.
  case committed(VersionRecord)
  /// The version after the expected one has the items that the request leads to, so nothing is
  /// stored. `isOwn` tells whether that version also has the request's author and message: then it
  /// is the request's own, whose answer was lost. Else somebody else made the same change.
  case found(VersionRecord, isOwn: Bool)
  /// The request leads to the head as it is.
  case unchanged(ListState)
  /// The request was merged into a head that is not its base. The list has a new version, or none
  /// (nil) if the head has all that the request asks for.
  case merged(VersionRecord?, into: ListState, MergeReport)

  /// The version that the request leads to. After ``found(_:isOwn:)``, newer ones may exist.
  public var state: ListState {
    switch self {
    case .committed(let record), .found(let record, _): record.state
    case .unchanged(let state): state
    case .merged(let record, let head, _): record?.state ?? head
    }
  }

  /// The version that the request has made; nil if it made none.
  public var newRecord: VersionRecord? {
    switch self {
    case .committed(let record): record
    case .merged(let record, _, _): record
    case .found, .unchanged: nil
    }
  }
}

/// The stages of a commit.
public enum CommitStage: String, Sendable {
  case readingHead = "reading the newest version"
  case comparing
  case merging
  case writing
}
