import ListChanges
import ListModel

/// A snapshot to which delta documents are applied one after the other, and proved: all of them
/// cost their changes, and the list is gone through once.
///
///     var replay = DeltaReplay(snapshot)
///     for document in documents { try replay.apply(document) }
public struct DeltaReplay {
  private var list: SummedList
  private var ids: Set<ItemID>

  /// - Complexity: O(n) for n items, and a SHA-256 for each.
  public init(_ snapshot: Snapshot) {
    list = SummedList(snapshot.items, checksum: Checksum(of: snapshot))
    ids = Set(snapshot.items.map(\.id))
  }

  /// The number of items.
  public var count: Int { list.count }

  /// The snapshot that the documents have led to.
  public var snapshot: Snapshot { Snapshot(uniqueItems: list.items) }

  /// How many items were summed up because a delta was large, for tests that count.
  var summedItemCount: Int { list.summedItemCount }

  /// Makes the next snapshot, as ``DeltaDocument/applied(to:)`` does.
  ///
  /// - Throws: the same; the snapshot that is left is of no use after `DeltaError.wrongResult`, and
  ///   the one before otherwise.
  /// - Complexity: O(d log n) for d changes and n items, in the long run.
  public mutating func apply(_ document: DeltaDocument) throws(DeltaError) {
    let (from, to) = (document.from, document.to)
    guard count == from.count, list.checksum == from.checksum else {
      throw .notTheStart(expected: from.checksum, found: list.checksum)
    }
    do throws(ListChangesError<ItemID>) {
      let step = try list.completed(document.changes)
      try replaceIDs(by: step)
      try list.apply(step)
    } catch {
      throw .changes(error)
    }
    guard count == to.count, list.checksum == to.checksum else {
      throw .wrongResult(expected: to.checksum, found: list.checksum)
    }
  }

  private mutating func replaceIDs(
    by step: ChangeSet<Item>
  ) throws(ListChangesError<ItemID>) {
    let (removed, inserted) = (
      step.removed.map(\.element.id), step.inserted.map(\.element.id)
    )
    let gone = Set(removed)
    var come: Set<ItemID> = []
    for id in inserted
    where !come.insert(id).inserted || (ids.contains(id) && !gone.contains(id)) {
      // Going through the whole list tells where the item stands twice.
      _ = try Snapshot(list.items).applying(step)
      preconditionFailure("an item stands in the new list twice")
    }
    ids.subtract(gone)
    ids.formUnion(come)
  }
}
