import ListChanges
import ListModel

/// Operations in a transaction that writes.
public protocol ListWriter: ListReader {
  /// Creates a list at version 0.
  ///
  /// - Precondition: There is no list of that name.
  func createList(_ name: ListName) throws -> ListRecord

  /// Deletes a list with all its versions, and records that.
  ///
  /// - Precondition: The record has the list's name, and no new one.
  /// - Complexity: O(r) rows deleted for the r rows of the list.
  func drop(_ list: ListKey, _ record: FormerList) throws

  /// Gives a list another name, and records that.
  ///
  /// - Precondition: The record has the list's name and the new one, which no list has.
  func rename(_ list: ListKey, _ record: FormerList) throws

  /// Sets how ids are found in a list's snapshot files: a text that the store does not interpret.
  func setIDRule(_ idRule: String, of list: ListKey) throws

  /// Sets where the items of a list have their title.
  func setTitlePath(_ path: JSONPointer, of list: ListKey) throws

  /// Sets the position in a source up to which versions were imported: a text that the store does
  /// not interpret.
  func setImportPosition(_ position: String, of source: String, in list: ListKey) throws

  /// Appends the version after the head.
  ///
  /// - Parameters:
  ///   - step: the change set from the head, every move named.
  ///   - head: the number of the head.
  ///   - list: the list that gets the version.
  ///   - order: the head, which becomes the new version.
  ///   - record: gives the new version. Called after the rows of the step are stored, so that it
  ///     can be computed at the same time.
  /// - Throws: `StoreError.headMoved` when the list has another head; `StoreError.listFull` when
  ///   the list has had more changes than can be numbered.
  /// - Complexity: O(n / 1000 + d) rows read and written for a list of n items and d changes.
  func append(
    _ step: ChangeSet<Item>, after head: Version, to list: ListKey, order: inout HeadOrder,
    record: () -> VersionRecord
  ) throws

  /// Makes a version the oldest one of an empty list, as pruning leaves one: the steps up to it are
  /// not known. Writes its checkpoint.
  ///
  /// - Parameters:
  ///   - list: a list without versions.
  ///   - record: the version, 2 or later.
  ///   - nextItem: gives the items in the order of the list; called as often as the record counts.
  /// - Throws: `StoreError.headMoved` when the list has versions; `StoreError.duplicateItem`;
  ///   `StoreError.listFull`; what the closure throws.
  /// - Complexity: O(n log n) for n items; memory for their keys, not for their texts.
  func start(_ list: ListKey, at record: VersionRecord, nextItem: () throws -> Item) throws

  /// Stores the order of a version, which shortens the replay of it and of later versions.
  func writeCheckpoint(_ items: [StoredItem], at version: Version, of list: ListKey) throws

  /// Keeps the changes between two versions, or records a use of kept ones.
  ///
  /// - Parameters:
  ///   - changes: every move named; nil to record only the use.
  ///   - from: the version that they start from.
  ///   - to: the version that they lead to.
  ///   - list: their list.
  ///   - time: the time of the use.
  ///   - byteLimit: the most bytes of all kept changes of the store. The least recently used are
  ///     dropped first; changes with more bytes than this are not kept.
  func keepChanges(
    _ changes: ChangeSet<Item>?, from: Version, to: Version, of list: ListKey,
    usedAt time: Timestamp, byteLimit: Int
  ) throws

  /// Gives a name to a version, and takes it from another version that has it.
  func setTag(_ tag: TagRecord, of list: ListKey) throws

  /// Removes a tag, if it exists.
  func removeTag(_ name: TagName, of list: ListKey) throws

  /// Stores a token that is in force.
  ///
  /// - Precondition: No token of that name is in force, and there is at least one grant.
  func addToken(_ token: TokenRecord) throws

  /// Revokes the token of a name, if one is in force.
  func revokeToken(_ name: TokenName, at time: Timestamp) throws

  /// Removes the versions below a new oldest one, and records the pruning. Rows that kept versions
  /// reference stay.
  ///
  /// - Precondition: The new oldest version is one that the list keeps, and has a checkpoint.
  /// - Throws: `StoreError.corrupt` when the checkpoint is missing or incomplete.
  /// - Complexity: O(r + n log n) for the r rows of the list's log and n items at the new oldest
  ///   version.
  func prune(_ record: PruneRecord, of list: ListKey) throws

  /// Drops all checkpoints and the order of the head, which the change log can restore. The
  /// checkpoint at the oldest version of a pruned list stays, since the log before it is deleted.
  func dropCheckpoints(of list: ListKey) throws
}
