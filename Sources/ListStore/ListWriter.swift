import ListChanges
import ListModel

/// What can be done in a transaction that writes.
public protocol ListWriter: ListReader {
  /// Makes a list at version 0.
  ///
  /// - Precondition: There is no list of that name.
  func createList(_ name: ListName) throws -> ListRecord

  /// Notes how ids are found in a list's snapshot files: a text that the store keeps as it is.
  func setIDRule(_ idRule: String, of list: ListKey) throws

  /// Notes how far the versions of a source were imported: a text that the store keeps as it is.
  func setImportPosition(_ position: String, of source: String, in list: ListKey) throws

  /// Appends the version after the head.
  ///
  /// - Parameters:
  ///   - record: the new version; its number is the head's plus 1.
  ///   - step: the change set from the head, every move named.
  ///   - order: the head, which becomes the new version.
  /// - Throws: `StoreError.headMoved` when the list's head is not the version before;
  ///   `StoreError.listFull` when the list has had more changes than can be numbered.
  /// - Complexity: O(n / 1000 + d) rows read and written for a list of n items and d changes.
  func append(
    _ record: VersionRecord, step: ChangeSet<Item>, to list: ListKey, order: inout HeadOrder
  ) throws

  /// Makes a version the oldest of a list that has none, as pruning leaves one: the steps that led
  /// to it are not known. Its checkpoint is written.
  ///
  /// - Parameters:
  ///   - record: the version, 2 or later.
  ///   - nextItem: gives the items in the order of the list; asked as often as the record counts.
  /// - Throws: `StoreError.headMoved` when the list has versions; `StoreError.duplicateItem`;
  ///   `StoreError.listFull`; what the closure throws.
  /// - Complexity: O(n log n) for n items; memory for their keys, not for their texts.
  func start(
    _ list: ListKey, at record: VersionRecord, nextItem: () throws -> Item
  ) throws

  /// Stores a version in order, which shortens the way to it and to those after it.
  func writeCheckpoint(_ items: [StoredItem], at version: Version, of list: ListKey) throws

  /// Keeps the changes between two versions, or notes that kept ones were used.
  ///
  /// - Parameters:
  ///   - changes: every move named; nil to note the use alone.
  ///   - byteLimit: how many bytes all kept changes of the store may take. The least recently used
  ///     go first; changes that alone take more are not kept.
  func keepChanges(
    _ changes: ChangeSet<Item>?, from: Version, to: Version, of list: ListKey,
    usedAt time: Timestamp, byteLimit: Int
  ) throws

  /// Gives a name to a version; one that another version bore goes over to this one.
  func setTag(_ tag: TagRecord, of list: ListKey) throws

  /// Takes a name from the version that bears it, if one does.
  func removeTag(_ name: TagName, of list: ListKey) throws

  /// Keeps a token that is in force.
  ///
  /// - Precondition: No token of that name is in force, and there is at least one grant.
  func addToken(_ token: TokenRecord) throws

  /// Notes that the token of a name, if one is in force, is not any more.
  func revokeToken(_ name: TokenName, at time: Timestamp) throws

  /// Removes the versions below a new oldest one, and notes that on record. What the kept versions
  /// need of them stays.
  ///
  /// - Precondition: The new oldest version is one that the list keeps, and has a checkpoint.
  /// - Throws: `StoreError.corrupt` when the checkpoint is not there or not whole.
  /// - Complexity: O(r + n log n) for the r rows of the list's log and n items at the new oldest
  ///   version.
  func prune(_ record: PruneRecord, of list: ListKey) throws

  /// Drops all checkpoints and the head's order; the log says the same. The one at the oldest
  /// version of a pruned list stays, since the log behind it is gone.
  func dropCheckpoints(of list: ListKey) throws
}
