import ListChanges
import ListModel

/// Keeps lists and all their versions. Small on purpose: what is decided about data is decided
/// above it, inside its transactions; SQLite is the first implementation.
///
/// All that a body reads belongs to one state of the store. A body never suspends: no transaction
/// is held open across an `await`.
public protocol ListStore: Sendable {
  /// Runs a body on one state of the store. Readers do not wait for writers.
  ///
  /// - Throws: what the body throws; `StoreError` when the store fails.
  func read<Result: Sendable>(
    _ body: @Sendable (any ListReader) throws -> Result
  ) async throws -> Result

  /// Runs a body that may write, alone. All of its writes are kept, on the disk, when this returns;
  /// none when it throws.
  ///
  /// - Throws: what the body throws; `StoreError` when the store fails.
  func write<Result: Sendable>(
    _ body: @Sendable (any ListWriter) throws -> Result
  ) async throws -> Result
}

/// What can be asked of one state of a store.
public protocol ListReader {
  /// All lists by name.
  func lists() throws -> [ListRecord]

  /// Nil when there is no list of that name.
  func list(_ name: ListName) throws -> ListRecord?

  /// Versions in ascending order; versions that do not exist are left out.
  func versions(_ range: ClosedRange<Version>, of list: ListKey) throws -> [VersionRecord]

  /// The newest version that was committed no later than a moment; nil when there is none.
  func newestVersion(of list: ListKey, notAfter time: Timestamp) throws -> VersionRecord?

  /// The steps of versions, in ascending order.
  ///
  /// - Throws: `StoreError.corrupt` when a step is not there or not whole.
  /// - Complexity: O(c) rows read for c changes.
  func steps(_ range: ClosedRange<Version>, of list: ListKey) throws -> [Step]

  /// The ids of items, in the order of the keys.
  ///
  /// - Throws: `StoreError.corrupt` when a key names no item.
  func ids(of keys: [ItemKey]) throws -> [ItemID]

  /// Contents in the order of the keys.
  ///
  /// - Throws: `StoreError.corrupt` when a key names no content.
  func contents(of keys: [ContentKey]) throws -> [Content]

  /// The key of an item that is, or ever was, in a list; nil otherwise.
  func key(of id: ItemID, in list: ListKey) throws -> ItemKey?

  /// The changes that touched one item, in ascending order of versions.
  ///
  /// - Complexity: O(c) rows read for the item's own c changes.
  func history(of item: ItemKey, in list: ListKey) throws -> [ItemChange]

  /// What is wrong with the file itself, as its own check tells it; empty when it is sound.
  func integrityProblems() throws -> [String]
}

/// What can be done in a transaction that writes.
public protocol ListWriter: ListReader {
  /// Makes a list at version 0.
  ///
  /// - Precondition: There is no list of that name.
  func createList(_ name: ListName) throws -> ListRecord

  /// Notes how ids are found in a list's snapshot files: a text that the store keeps as it is.
  func setIDRule(_ idRule: String, of list: ListKey) throws

  /// Appends the version after the head.
  ///
  /// - Parameters:
  ///   - record: the new version; its number is the head's plus 1.
  ///   - step: the change set from the head, every move named.
  ///   - headItem: the keys of the item at an index of the head; asked for changed items only.
  /// - Throws: `StoreError.headMoved` when the list's head is not the version before.
  func append(
    _ record: VersionRecord, step: ChangeSet<Item>, to list: ListKey,
    headItem: (_ index: Int) -> StoredItem
  ) throws
}
