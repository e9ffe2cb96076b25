import ListModel

/// Questions about one state of a store.
public protocol ListReader {
  /// Lists by name.
  ///
  /// - Complexity: O(1) rows read for each list in the answer.
  func lists(_ selection: ListSelection) throws -> [ListRecord]

  /// The list of a name; nil if there is none.
  func list(_ name: ListName) throws -> ListRecord?

  /// What changed after a mark, and the mark of the state that is read.
  ///
  /// - Parameter mark: an earlier answer of this store; nil to ask for a first mark.
  /// - Returns: no mark if the engine records no changes; no changes if the record does not reach
  ///   back to the mark: then everything may have changed.
  /// - Complexity: O(c) rows read for c changes, of which the store records a bounded number.
  func changedLists(after mark: HeadMark?) throws -> (mark: HeadMark?, changes: ChangedLists?)

  /// The heads of lists, in the order of the lists; nil at version 0.
  func heads(of lists: [ListRecord]) throws -> [VersionRecord?]

  /// Where the items of lists have their titles, for those lists that have said it.
  func titlePaths(of lists: [ListKey]) throws -> [ListKey: JSONPointer]

  /// The lists that were dropped or renamed, oldest records first. A name may occur several times,
  /// and may lead to a list again. Records are never deleted.
  ///
  /// - Parameter count: how many of the oldest records to leave out.
  func formerLists(after count: Int) throws -> [FormerList]

  /// The newest record of a name that a list had; nil if there is none.
  func formerList(_ name: ListName) throws -> FormerList?

  /// Versions in ascending order, without those that do not exist.
  func versions(_ range: ClosedRange<Version>, of list: ListKey) throws -> [VersionRecord]

  /// The newest version that was committed at a time or before; nil if there is none.
  func newestVersion(of list: ListKey, notAfter time: Timestamp) throws -> VersionRecord?

  /// The steps of versions, in ascending order.
  ///
  /// - Throws: `StoreError.corrupt` when a step is missing or incomplete.
  /// - Complexity: O(c) rows read for c changes.
  func steps(_ range: ClosedRange<Version>, of list: ListKey) throws -> [Step]

  /// The number of change rows of versions.
  ///
  /// - Complexity: O(1) rows read.
  func changeCount(_ range: ClosedRange<Version>, of list: ListKey) throws -> Int

  /// The order of the head, whose parts are read when needed; nil if it was dropped.
  ///
  /// - Complexity: O(n / 1000) rows read for a list of n items.
  func headOrder(of list: ListRecord) throws -> HeadOrder?

  /// The newest version with a checkpoint, up to a version; nil if there is none.
  func newestCheckpoint(of list: ListKey, notAfter version: Version) throws -> Version?

  /// The items of a version in order, from its checkpoint.
  ///
  /// - Throws: `StoreError.corrupt` when the checkpoint is missing or incomplete.
  func checkpoint(at version: Version, of list: ListKey) throws -> [StoredItem]

  /// The kept changes between two versions; nil if none are kept.
  func keptChanges(from: Version, to: Version, of list: ListKey) throws -> KeptChanges?

  /// The items of keys, in the order of the keys.
  ///
  /// - Throws: `StoreError.corrupt` when a key has no row.
  func items(of stored: [StoredItem]) throws -> [Item]

  /// Says whose texts are asked for next, so that an engine may read them with one question.
  func willAsk(for items: [StoredItem], ids: [ItemKey], contents: [ContentKey])

  /// Says which ids are looked up in the list that is read next, so that an engine may do both with
  /// one question.
  func willFind(_ ids: [ItemID])

  /// Says which versions are read of the list that is read next, so that an engine may do both with
  /// one question.
  func willRead(_ versions: ClosedRange<Version>)

  /// Says which keys of contents are asked for after the next texts, so that an engine may read
  /// both with one question.
  func willAsk(for contents: [(item: ItemKey, content: Content)], in list: ListKey)

  /// The pairs of versions between which changes are kept.
  func keptRanges(of list: ListKey) throws -> [KeptRange]

  /// The ids of items, in the order of the keys.
  ///
  /// - Throws: `StoreError.corrupt` when a key has no item.
  func ids(of keys: [ItemKey]) throws -> [ItemID]

  /// Contents in the order of the keys.
  ///
  /// - Throws: `StoreError.corrupt` when a key has no content.
  func contents(of keys: [ContentKey]) throws -> [Content]

  /// The keys of items, in the order of the ids; nil for an item that was never in the list.
  func keys(of ids: [ItemID], in list: ListKey) throws -> [ItemKey?]

  /// The keys of contents that items had recently, in the order given; nil for other contents.
  ///
  /// - Complexity: O(1) rows read for each, whatever the length of the item's history.
  func contentKeys(
    of contents: [(item: ItemKey, content: Content)], in list: ListKey
  ) throws -> [ContentKey?]

  /// Passes the changes of one item to a receiver, newest first, until it returns false.
  ///
  /// - Complexity: O(c log v) rows read for the item's own c changes and v versions.
  func history(of item: ItemKey, in list: ListRecord, receive: (ItemChange) throws -> Bool) throws

  /// The tags of a list, by name.
  func tags(of list: ListKey) throws -> [TagRecord]

  /// The tag of a name; nil if the list has none.
  func tag(_ name: TagName, of list: ListKey) throws -> TagRecord?

  /// The prunings of a list, newest versions first.
  func prunes(of list: ListKey) throws -> [PruneRecord]

  /// The position in a source up to which versions were imported; nil before the first import.
  func importPosition(of source: String, in list: ListKey) throws -> String?

  /// Whether the list has an import position for any source.
  func hasImports(into list: ListKey) throws -> Bool

  /// The findings of the engine's own check, such as broken trees and wrong indexes; empty if there
  /// are none.
  func integrityFaults() throws -> [String]

  /// The text of an error that a question threw, which may be an error type of the engine.
  ///
  /// - Throws: the error if it says nothing about the stored data, such as the loss of a
  ///   connection.
  func reason(ofReading error: any Error) throws -> String

  /// The rows of a list that break a structural rule.
  ///
  /// - Complexity: O(c) rows read for all c changes of the list.
  func rowFaults(of list: ListRecord) throws -> [RowFault]

  /// The fault of the table by which a list finds its items; nil if it is sound.
  ///
  /// - Complexity: O(i log i) for the i items that the list ever had.
  func idFault(of list: ListKey) throws -> String?

  /// All tokens, revoked ones included, by name, and with the same name the oldest first.
  func tokens() throws -> [TokenRecord]

  /// The token in force of a name; nil if there is none.
  ///
  /// - Complexity: O(1) rows read, and one for each grant.
  func tokenInForce(_ name: TokenName) throws -> TokenRecord?

  /// Whether a token was ever made.
  func hasTokens() throws -> Bool

  /// Rows of no list, tokens that break their rules, and parts of the schema that differ from those
  /// of a new store.
  func strayRowFaults() throws -> [String]

  /// The number of bytes and rows of a list; of the whole store if nil.
  ///
  /// - Complexity: every page is read.
  func size(of list: ListRecord?) throws -> StoreSize
}

extension ListReader {
  public func willAsk(for items: [StoredItem], ids: [ItemKey], contents: [ContentKey]) {}
  public func willFind(_ ids: [ItemID]) {}
  public func willRead(_ versions: ClosedRange<Version>) {}
  public func willAsk(for contents: [(item: ItemKey, content: Content)], in list: ListKey) {}
}
