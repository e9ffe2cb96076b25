import ListChanges
import ListModel
import ListStore

/// Replays one list, from version 0 or from the oldest version that is kept.
///
/// Memory: the list at one version, and the changes of a batch.
struct ListVerifier {
  typealias Fault = VerificationReport.Fault

  private let reader: ListReader
  private let list: ListRecord
  private let depth: VerificationDepth
  private(set) var state = ListState.zero
  private var order = ReplayedList<StoredItem>([])
  /// The items of `order`. Each text is read once, with the step that writes it.
  private var items = ReplayedList<Item>([])
  private var tree = RootTree.empty
  /// The most changes that are read together.
  private let batchCount: Int

  init(reader: ListReader, list: ListRecord, depth: VerificationDepth) {
    self.reader = reader
    self.list = list
    self.depth = depth
    // A damaged list may have no head to measure.
    batchCount = (try? reader.stepBatchCount(of: list)) ?? ListReader.standardBatchCount
  }

  /// The first version that contradicts its record, and the other faults in the list's rows.
  ///
  /// - Throws: an error that says nothing about the stored data.
  mutating func faults(onProgress: (ListName, Version) -> Void) throws -> [Fault] {
    let first = try firstFault(onProgress: onProgress)
    var faults = first.map { [$0] } ?? []
    do {
      // A row that breaks a rule also makes its version fail. Report the version once.
      faults += try reader.rowFaults(of: list)
        .filter { first == nil || $0.version != first?.version }
        .map { Fault(list: list.name, version: $0.version, reason: $0.reason) }
      // Kept changes can only be compared with steps that are whole, ids with rows that are.
      if faults.isEmpty {
        faults += try keptChangesFaults()
        let fault = try reader.idFault(of: list.key)
        faults += fault.map { [Fault(list: list.name, version: nil, reason: $0)] } ?? []
      }
    } catch {
      faults.append(Fault(list: list.name, version: nil, reason: try reason(of: error)))
    }
    return faults
  }

  private mutating func firstFault(onProgress: (ListName, Version) -> Void) throws -> Fault? {
    var version = list.oldest
    do {
      while version <= list.head {
        for (record, step) in try batch(from: version) {
          version = record.version
          onProgress(list.name, version)
          if let reason = try mismatch(at: record, step) {
            return Fault(list: list.name, version: version, reason: reason)
          }
        }
        version = version.next
      }
      return nil
    } catch let error as MissingVersion {
      return Fault(list: list.name, version: error.version, reason: "it is missing")
    } catch {
      return Fault(list: list.name, version: version, reason: try reason(of: error))
    }
  }

  private func reason(of error: any Error) throws -> String {
    if case ServiceError.broken(_, _, let reason) = error { return reason }
    return try reader.reason(ofReading: error)
  }

  /// Why a version contradicts its record; nil when it does not.
  ///
  /// - Parameter step: nil for the oldest version of a pruned list.
  private mutating func mismatch(
    at record: VersionRecord, _ step: VerifiedStep?
  ) throws -> String? {
    let isCheckpoint =
      try reader.newestCheckpoint(of: list.key, notAfter: record.version) == record.version
    let isHashed = depth == .everything || isCheckpoint || record.version == list.head
    if let step {
      if let reason = try replay(record, step, hashingAll: isHashed) { return reason }
    } else {
      let stored = try reader.checkpoint(at: record.version, of: list.key)
      order = ReplayedList(stored)
      items = ReplayedList(try reader.items(of: stored))
      tree = RootTree(of: try snapshot().items)
      if tree.root != record.root { return "its root does not fit" }
    }
    if let reason = try orderMismatch(at: record.version, isCheckpoint) { return reason }
    state = record.state
    return nil
  }

  /// Why a step does not lead to its version; nil when it does.
  ///
  /// - Parameter isHashed: whether to compute the root from all items, and not from the changes.
  private mutating func replay(
    _ record: VersionRecord, _ step: VerifiedStep, hashingAll isHashed: Bool
  ) throws -> String? {
    let (step, named) = step
    guard step.oldCount == order.count else { return "its step starts from another list" }
    if ChangeCounts(named) != record.changes { return "its counts of changes do not fit" }
    if step != step.canonical() { return "its moves are not the canonical ones" }
    if named.updated.contains(where: { $0.old == $0.new }) {
      return "it updates to the same content"
    }
    do {
      try self.order.apply(step)
      try items.apply(named)
    } catch {
      return "its step is broken: \(error)"
    }
    tree = isHashed ? RootTree(of: try snapshot().items) : tree.advanced(by: named)
    return tree.root == record.root ? nil : "its root does not fit"
  }

  private func orderMismatch(at version: Version, _ isCheckpoint: Bool) throws -> String? {
    if isCheckpoint, try reader.checkpoint(at: version, of: list.key) != order.elements {
      return "its checkpoint is not what the changes lead to"
    }
    if version == list.head, var stored = try reader.headOrder(of: list) {
      guard try stored.items() == order.elements else {
        return "the stored order of the head is not what the changes lead to"
      }
      guard try stored.tree().root == tree.root else {
        return "the stored groups of the head do not have its root"
      }
    }
    return nil
  }

  private func snapshot() throws -> Snapshot { try Snapshot(items.elements) }

  private func keptChangesFaults() throws -> [Fault] {
    try reader.keptRanges(of: list.key).compactMap { range in
      try keptChangesMismatch(range).map {
        Fault(list: list.name, version: max(range.from, range.to), reason: $0)
      }
    }
  }

  private func keptChangesMismatch(_ range: KeptRange) throws -> String? {
    let name = "the changes kept from version \(range.from) to \(range.to)"
    let kept: ChangeSet<Item>
    do {
      guard
        let found = try reader.keptChanges(from: range.from, to: range.to, of: list.key)
      else { return "\(name) are not there" }
      kept = found.changes
    } catch StoreError.corrupt {
      return "\(name) are damaged"
    }
    // Changes from or to a pruned version cannot be compared, and are never served.
    let isThere = [range.from, range.to].allSatisfy { $0 == .zero || $0 >= list.oldest }
    guard isThere else { return nil }
    let (from, to) = (
      try reader.state(of: range.from, in: list), try reader.state(of: range.to, in: list)
    )
    guard kept.oldCount == from.count, kept.newCount == to.count else {
      return "\(name) do not fit the counts of its items"
    }
    guard depth == .everything else { return nil }
    let made = try reader.delta(of: list, from: from, to: to).changes
    let isSame = kept == made && kept.moved.map(\.id) == made.moved.map(\.id)
    return isSame ? nil : "\(name) are not what the steps lead to"
  }
}

// MARK: Reading versions

extension ListVerifier {
  /// A step, by keys and with its texts.
  private typealias VerifiedStep = (stored: ChangeSet<StoredItem>, named: ChangeSet<Item>)
  /// A version with its step. A version that is kept without its step has none.
  private typealias VersionRow = (record: VersionRecord, step: VerifiedStep?)

  private struct MissingVersion: Error {
    let version: Version
  }

  /// Some versions in ascending order, read together: for single versions, the queries cost more
  /// than the rows. Only as many as have no damage, or the first.
  private func batch(from start: Version) throws -> [VersionRow] {
    var end = batchEnd(from: start)
    while start < end {
      if let rows = try? rows(start...end) { return rows }
      end = Version(start.number + (end.number - start.number) / 2)
    }
    // A version's rows end where those of the next begin, so a gap also damages the version before.
    for version in [start, start.next] where version <= list.head {
      guard try reader.hasVersion(version, of: list.key) else {
        throw MissingVersion(version: version)
      }
    }
    return try rows(start...start)
  }

  /// The last version of a batch, which is read at once and so must have few enough changes.
  private func batchEnd(from start: Version) -> Version {
    var count = batchCount
    while count > 1 {
      let end = min(list.head, Version(start.number + min(count - 1, Version.highest.number / 2)))
      if let changes = try? reader.changeCount(start...end, of: list.key), changes <= batchCount {
        return end
      }
      count /= 4
    }
    return start
  }

  private func rows(_ range: ClosedRange<Version>) throws -> [VersionRow] {
    let records = try reader.records(of: range, in: list)
    let first = max(range.lowerBound, list.firstStep)
    let steps =
      first <= range.upperBound
      ? try reader.steps(first...range.upperBound, of: list.key).map(\.changes) : []
    let named = try reader.named(steps, of: list.key)
    let stepless = records.count - steps.count
    return records.enumerated().map { position, record in
      let number = position - stepless
      return (record, number < 0 ? nil : (steps[number], named[number]))
    }
  }
}
