import ListModel
import ListStore

@testable import SyncService

extension TwinStore {
  package struct Transfer: Equatable, Sendable {
    package let range: BundleHeader
    package var parts: [BundleEvent]

    package init(range: BundleHeader, parts: [BundleEvent]) {
      self.range = range
      self.parts = parts
    }
  }

  package func export(_ request: ExportRequest) throws -> Transfer {
    let list = try list(request.list)
    let start: BundleStart
    if let since = request.since {
      let version = try list.version(of: since)
      if version == 0, list.oldest > 1 { throw list.tooOld(since.description) }
      start = version == 0 ? .zero : .prerequisite(list.record(version).state)
    } else {
      start = list.oldest > 1 ? .base(list.record(list.oldest)) : .zero
    }
    let end = try list.version(of: request.to)
    let target = end == 0 ? ListState.zero : list.record(end).state
    guard request.since == nil || start.state.version < target.version else {
      throw ServiceError.emptyBundle(
        list: list.name, from: start.state.knownCursor, to: target.knownCursor)
    }
    var parts: [BundleEvent] = []
    if case .base(let record) = start {
      parts = list.snapshots[record.version.number].map { .item($0) }
    }
    for version in list.steps where version > start.state.version.number && version <= end {
      let from = version == 1 ? ListState.zero : list.record(version - 1).state
      parts.append(
        .step(
          ListDelta(
            list: list.name, from: from, to: list.record(version).state, oldest: nil,
            changes: BareChanges(list.changes(version - 1, version)))))
    }
    return Transfer(
      range: BundleHeader(list: list.name, idRule: list.idRule, start: start, target: target),
      parts: parts)
  }

  package mutating func apply(_ transfer: Transfer, as name: ListName?) throws -> ApplyOutcome {
    let range = transfer.range
    var list = self[name ?? range.list] ?? TwinList(name ?? range.list)
    let (isNew, oldHead) = (list.head == 0, list.head)
    try list.checkConnection(range)
    if self[list.name] == nil { try checkIsNew(list.name) }
    var parts = transfer.parts[...]
    var addedCount = 0
    if case .base(let record) = range.start {
      let items = parts.prefix(record.count).compactMap { part in
        if case .item(let item) = part { item } else { nil }
      }
      guard items.count == record.count else { throw list.broken(record.version) }
      parts = parts.dropFirst(record.count)
      if isNew {
        list.start(items, at: record)
        addedCount = 1
      }
    }
    var reached = range.startState
    for case .step(let step) in parts {
      guard let header = step.to.header else { throw list.broken(range.target.version) }
      if header.version.number <= list.head {
        try list.checkSame(step.to)
      } else {
        let record = list.append(step.changes.applied(to: list.items), header.note)
        guard record.header == header else { throw list.broken(header.version) }
        addedCount += 1
      }
      reached = step.to
    }
    guard reached == range.target else {
      throw list.broken(range.target.version)
    }
    if list.head > oldHead || isNew { list.idRule = range.idRule ?? list.idRule }
    self[list.name] = list
    return ApplyOutcome(
      list: list.name, isNew: isNew, addedCount: addedCount, head: list.state(list.head))
  }
}

extension TwinList {
  fileprivate func broken(_ version: Version) -> ServiceError {
    .brokenBundle(list: name, version: version, reason: "")
  }

  /// Versions that start from one that the list has not reached cannot be put behind its own, nor
  /// those that end before the oldest that it could compare with them.
  fileprivate func checkConnection(_ range: BundleHeader) throws {
    let (start, target) = (range.startState, range.target)
    if head == 0 {
      if case .prerequisite = range.start, start.version > .zero {
        throw ServiceError.tooNew(start: start.knownCursor, list: name, head: headCursor)
      }
      return
    }
    if start.version.number > head {
      throw ServiceError.tooNew(start: start.knownCursor, list: name, head: headCursor)
    }
    if target.version > .zero, target.version.number < oldest {
      throw ServiceError.endsTooOld(target: target.knownCursor, list: name, oldest: cursor(oldest))
    }
    try checkSame(start)
  }

  fileprivate func checkSame(_ state: ListState) throws {
    guard state.version.number >= oldest else { return }
    if record(state.version.number).state != state {
      throw ServiceError.diverged(state.knownCursor, list: name, here: headCursor)
    }
  }
}

extension BareChanges {
  /// The result of changes that fit a list: placed items are at their index, and kept items fill
  /// the other places in their order.
  fileprivate func applied(to old: [Item]) -> [Item] {
    let leaving = Set(removed.map(\.from) + moved.map(\.from))
    var arrivals: [Int: Item] = [:]
    for insertion in inserted { arrivals[insertion.to] = insertion.item }
    for move in moved { arrivals[move.to] = old[move.from] }
    var staying = old.indices.filter { !leaving.contains($0) }.map { old[$0] }.makeIterator()
    var new = (0..<newCount).compactMap { arrivals[$0] ?? staying.next() }
    for update in updated { new[update.to] = update.item }
    return new
  }
}
