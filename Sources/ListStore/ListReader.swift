import ListModel

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

  /// The number of change rows in versions.
  ///
  /// - Complexity: O(1) rows read.
  func changeCount(_ range: ClosedRange<Version>, of list: ListKey) throws -> Int

  /// The newest version in order, read part by part as it is asked for; nil when it is not stored,
  /// since it was dropped.
  ///
  /// - Complexity: O(n / 1000) rows read for a list of n items.
  func headOrder(of list: ListRecord) throws -> HeadOrder?

  /// The newest version not after another that has a checkpoint; nil when there is none.
  func newestCheckpoint(of list: ListKey, notAfter version: Version) throws -> Version?

  /// The items of a version in order, as its checkpoint holds them.
  ///
  /// - Throws: `StoreError.corrupt` when the checkpoint is not there or not whole.
  func checkpoint(at version: Version, of list: ListKey) throws -> [StoredItem]

  /// The changes between two versions, where they were kept; nil where not.
  func keptChanges(
    from: Version, to: Version, of list: ListKey
  ) throws -> KeptChanges?

  /// The items that keys stand for, in the order of the keys.
  ///
  /// - Throws: `StoreError.corrupt` when a key names nothing.
  func items(of stored: [StoredItem]) throws -> [Item]

  /// Between which versions changes are kept.
  func keptRanges(of list: ListKey) throws -> [KeptRange]

  /// The ids of items, in the order of the keys.
  ///
  /// - Throws: `StoreError.corrupt` when a key names no item.
  func ids(of keys: [ItemKey]) throws -> [ItemID]

  /// Contents in the order of the keys.
  ///
  /// - Throws: `StoreError.corrupt` when a key names no content.
  func contents(of keys: [ContentKey]) throws -> [Content]

  /// The keys of items that are, or ever were, in a list, in the order of the ids; nil for the
  /// others.
  func keys(of ids: [ItemID], in list: ListKey) throws -> [ItemKey?]

  /// The keys of contents that items had before, in the order given; nil for a content that the
  /// item never had, or long ago.
  ///
  /// - Complexity: O(1) rows read for each, however long the item's history is.
  func contentKeys(
    of contents: [(item: ItemKey, content: Content)], in list: ListKey
  ) throws -> [ContentKey?]

  /// Hands out the changes that touched one item, newest first, until the receiver returns false.
  ///
  /// - Complexity: O(c log v) rows read for the item's own c changes and v versions.
  func history(
    of item: ItemKey, in list: ListRecord, receive: (ItemChange) throws -> Bool
  ) throws

  /// The tags of a list, by name.
  func tags(of list: ListKey) throws -> [TagRecord]

  /// Nil when a list has no such tag.
  func tag(_ name: TagName, of list: ListKey) throws -> TagRecord?

  /// What was pruned of a list, the newest versions first.
  func prunes(of list: ListKey) throws -> [PruneRecord]

  /// How far the versions of a source were imported, as the import noted it; nil where it did not.
  func importPosition(of source: String, in list: ListKey) throws -> String?

  /// Whether an import noted for any source how far it has come.
  func hasImports(into list: ListKey) throws -> Bool

  /// The problems that the engine's own check finds in the file: broken trees, indexes that do not
  /// fit; empty when it is sound.
  func integrityProblems() throws -> [String]

  /// What a question's error says, which may be the engine's own: for those who go on to the next
  /// question.
  func reason(ofReading error: any Error) -> String

  /// Where rows of a list break the rules that hold whatever they say.
  ///
  /// - Complexity: O(c) rows read for all c changes of the list.
  func rowProblems(of list: ListRecord) throws -> [RowProblem]

  /// All tokens, also those that were revoked, by name, and of the same name the oldest first.
  func tokens() throws -> [TokenRecord]

  /// Rows of no list, tokens that break their rules, and parts of the schema that are not as a new
  /// store has them.
  func strayRowProblems() throws -> [String]

  /// How many bytes and rows there are; of the whole store where no list is given.
  ///
  /// - Complexity: every page is read.
  func size(of list: ListRecord?) throws -> StoreSize
}

extension ListReader {
  /// The key of an item that is, or ever was, in a list; nil otherwise.
  public func key(of id: ItemID, in list: ListKey) throws -> ItemKey? {
    try keys(of: [id], in: list)[0]
  }
}
