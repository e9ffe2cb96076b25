import ListModel
import SyncService

@testable import ListStore

extension SyncService {
  /// Prunes to the newest versions.
  @discardableResult
  package func prune(_ list: ListName = .parks, keepLast count: Int) async throws -> PruneOutcome {
    try await prune(PruneRequest(list: list, rule: RetentionRule(keepLast: count)!))
  }
}

/// The invariants of every list's change log after each pruning.
package enum LogInvariants {
  /// The broken invariants.
  package static func faults(of store: any ListStore) async throws -> [String] {
    try await store.read { reader in
      try reader.lists().filter { $0.head > .zero }.flatMap { list in
        try faults(of: list, reader)
      }
    }
  }

  /// A list has the texts before its first step that something refers to, and no others.
  private static func faults(of list: ListRecord, _ reader: ListReader) throws -> [String] {
    let firstStep = try reader.firstChange(ofStepsOf: list)
    guard list.oldest > Version(1) else { return [] }
    let oldest = try reader.checkpoint(at: list.oldest, of: list.key)
    let kept = try reader.keptTexts(of: oldest, before: firstStep, list.key).contents
    var faults: [String] = []
    var (ids, contents): (Set<Int64>, [Int64: Set<Int64>]) = ([], [:])
    for segment in try reader.segments(of: list.key) {
      let starts = try reader.starts(of: segment, in: list.key)
      var revisions = SegmentRevisions(of: segment, in: list.key)
      while let item = revisions.item(reader) {
        if try revisions.id(reader) != nil { ids.insert(item) }
        guard let revision = try revisions.next(reader) else { break }
        let start = revision.step.map { starts[$0] } ?? item
        if revision.text != nil, start < firstStep { contents[item, default: []].insert(start) }
      }
    }
    for item in kept.keys where !ids.contains(item) {
      faults.append("\(list.name): item \(item) has no id")
    }
    for item in ids where item < firstStep && kept[item] == nil {
      faults.append("\(list.name): item \(item) has an id that nobody needs")
    }
    for item in Set(kept.keys).union(contents.keys) {
      let (found, needed) = (contents[item] ?? [], (kept[item] ?? []).filter { $0 < firstStep })
      if found.count != needed.count {
        faults.append("\(list.name): item \(item) has \(found.count) old texts of \(needed.count)")
      }
    }
    return faults
  }
}
