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
      // Going through the whole list tells where the item stands twice.
      if !ids.apply(step) { _ = try Snapshot(list.items).applying(step) }
      try list.apply(step)
    } catch {
      throw .changes(error)
    }
    guard count == to.count, list.checksum == to.checksum else {
      throw .wrongResult(expected: to.checksum, found: list.checksum)
    }
  }
}

extension Set<ItemID> {
  /// Makes the ids of a list those of the next.
  ///
  /// - Returns: false where a step would put an id into the list twice; the ids are then what they
  ///   were.
  /// - Complexity: O(d) for d changes: the list is not gone through.
  package mutating func apply(_ step: ChangeSet<Item>) -> Bool {
    let gone = Set(step.removed.map(\.element.id))
    let come = Set(step.inserted.map(\.element.id))
    guard come.count == step.inserted.count,
      come.allSatisfy({ !contains($0) || gone.contains($0) })
    else { return false }
    subtract(gone)
    formUnion(come)
    return true
  }
}
