import ListModel
import ListStore

/// A list in an overview, with its number in the store.
typealias KeyedHead = (key: ListKey, head: ListSummary)

/// The data that a ``HeadCache`` reads from the store: the changes since its last reading, or
/// everything.
struct HeadReading: Sendable {
  /// Where the next reading begins.
  let mark: ChangeToken
  /// The lists that were read; nil for all.
  let asked: [ListKey]?
  /// By name.
  let heads: [KeyedHead]
  /// The records after those that the cache has.
  let retiredLists: [RetiredList]
  /// Nil if they did not change.
  let tokens: [TokenRecord]?

  /// - Parameters:
  ///   - mark: that of the last reading; nil for the first.
  ///   - formerCount: how many records of former lists the cache has.
  /// - Complexity: O(c) rows read for c changed lists, former lists and tokens; for everything if
  ///   the store's record of changes does not reach back to the mark.
  init(_ reader: ListReader, after mark: ChangeToken?, retiredCount: Int) throws {
    let (now, changes) = try reader.changedLists(after: mark)
    (self.mark, asked) = (now, changes?.keys)
    let lists = try changes?.keys == [] ? [] : reader.lists(changes.map { .keys($0.keys) } ?? .all)
    heads = Array(zip(lists.map(\.key), try reader.summaries(of: lists)))
    let readsOthers = changes?.includesOthers ?? true
    retiredLists =
      try readsOthers ? reader.retiredLists(after: changes == nil ? 0 : retiredCount) : []
    tokens = try readsOthers ? reader.tokens() : nil
  }
}
