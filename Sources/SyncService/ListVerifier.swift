import ListChanges
import ListModel
import ListStore

/// Replays one list, from the empty one or from the oldest version that is kept.
///
/// What is held is the list at one version, and some thousand changes.
struct ListVerifier {
  typealias Problem = VerificationReport.Problem

  private let reader: any ListReader
  private let list: ListRecord
  private let depth: VerificationDepth
  private(set) var state = ListState.zero
  private var chain = Chain.zero
  private var order = HeadOrder([])

  init(reader: any ListReader, list: ListRecord, depth: VerificationDepth) {
    self.reader = reader
    self.list = list
    self.depth = depth
  }

  /// The first version that is not what it says, and what else is wrong with the list's rows.
  mutating func problems(onProgress: (ListName, Version) -> Void) -> [Problem] {
    let first = firstProblem(onProgress: onProgress)
    var problems = first.map { [$0] } ?? []
    do {
      // A row that breaks a rule makes its version fail as well, and is not told twice.
      problems += try reader.rowProblems(of: list).filter { problem in
        first == nil || problem.version != first?.version
      }.map { Problem(list: list.name, version: $0.version, reason: $0.reason) }
      // Where steps are broken, there is nothing to compare kept changes with.
      if problems.isEmpty { problems += try keptChangesProblems() }
    } catch {
      problems.append(Problem(list: list.name, version: nil, reason: reader.reason(of: error)))
    }
    return problems
  }

  private mutating func firstProblem(onProgress: (ListName, Version) -> Void) -> Problem? {
    guard list.head > .zero else { return nil }
    var next = list.oldest
    while next <= list.head {
      let batch: VersionBatch
      switch VersionBatch.read(from: next, of: list, in: reader) {
      case .success(let read): batch = read
      case .failure(let problem): return problem
      }
      for (record, step) in batch.versions {
        onProgress(list.name, record.version)
        do {
          guard let reason = try mismatch(at: record, step) else { continue }
          return Problem(list: list.name, version: record.version, reason: reason)
        } catch {
          return Problem(
            list: list.name, version: record.version, reason: reader.reason(of: error))
        }
      }
      next = batch.end.next
    }
    return nil
  }

  /// Why a version is not what it says it is; nil when it is.
  ///
  /// - Parameter step: nil for the oldest version of a pruned list, which has none.
  private mutating func mismatch(
    at record: VersionRecord, _ step: ChangeSet<StoredItem>?
  ) throws -> String? {
    if let step {
      if let reason = try replay(record, step) { return reason }
    } else {
      order = HeadOrder(try reader.checkpoint(at: record.version, of: list.key))
      chain = record.chain
    }
    let isCheckpoint =
      try reader.newestCheckpoint(of: list.key, notAfter: record.version) == record.version
    if let reason = try orderMismatch(at: record.version, isCheckpoint) { return reason }
    let isMadeAnew =
      depth == .everything || isCheckpoint || record.version == list.head || step == nil
    if isMadeAnew, try Checksum(of: snapshot()) != record.checksum {
      return "its checksum does not fit"
    }
    state = record.state
    return nil
  }

  /// Why a step does not lead where its version says; nil when it does.
  private mutating func replay(
    _ record: VersionRecord, _ step: ChangeSet<StoredItem>
  ) throws -> String? {
    guard step.oldCount == order.count else { return "its step starts from another list" }
    let named = try reader.named(step) { try order.item(at: $0) }
    if ChangeCounts(named) != record.changes { return "its counts of changes do not fit" }
    if step != step.canonical() { return "its moves are not the canonical ones" }
    let followed =
      named.isSmall
      ? try state.checksum.advanced(
        by: named, oldItems: { try reader.checkedItems(order.items(at: $0)) }) : nil
    try order.apply(step)
    let checksum = try followed ?? Checksum(of: snapshot())
    if checksum != record.checksum { return "its checksum does not fit" }
    chain = chain.extended(by: named, to: record.version, checksum: checksum, note: record.note)
    return chain == record.chain ? nil : "its chain does not fit"
  }

  private func orderMismatch(at version: Version, _ isCheckpoint: Bool) throws -> String? {
    if isCheckpoint, try reader.checkpoint(at: version, of: list.key) != order.items() {
      return "its checkpoint is not what the changes lead to"
    }
    if version == list.head, let stored = try reader.headOrder(of: list),
      try stored.items() != order.items()
    {
      return "the stored order of the head is not what the changes lead to"
    }
    return nil
  }

  private func snapshot() throws -> Snapshot { try Snapshot(reader.items(of: order.items())) }

  private func keptChangesProblems() throws -> [Problem] {
    try reader.keptRanges(of: list.key).compactMap { range in
      let reason = try keptChangesMismatch(range)
      return reason.map {
        Problem(list: list.name, version: max(range.from, range.to), reason: $0)
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
    // What was pruned can be neither asked for nor compared.
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

extension ListReader {
  /// Why a version could not be read.
  func reason(of error: any Error) -> String {
    switch error {
    case ServiceError.broken(_, _, let reason): reason
    default: reason(ofReading: error)
    }
  }
}
