import ListChanges
import ListModel
import ListStore
import SyncService
import TestSupport

extension TwinStore {
  package mutating func commit(_ request: CommitRequest, now: Timestamp) throws -> CommitOutcome {
    var list = self[request.list] ?? TwinList(request.list)
    try check(request, list)
    list.idRule = request.idRule ?? list.idRule
    defer { self[request.list] = list }
    if list.items == request.snapshot.items { return .unchanged(list.state(list.head)) }
    let note = CommitNote(
      time: request.time ?? now, author: request.author, message: request.message)
    return .committed(try list.append(request.snapshot.items, note))
  }

  package func preview(_ request: CommitRequest) throws -> Delta {
    let list = self[request.list] ?? TwinList(request.list)
    try check(request, list)
    return Delta(
      list: list.name, from: list.state(list.head), to: ListState(of: request.snapshot),
      oldest: self[request.list].map { Version($0.oldest) },
      changes: changesByDefinition(from: list.items, to: request.snapshot.items))
  }

  private func check(_ request: CommitRequest, _ list: TwinList) throws {
    guard let expected = request.expected, !list.isMet(expected, by: list.head) else { return }
    // What was sent again after its answer was lost, and came to nothing new.
    let isSentAgain =
      list.items == request.snapshot.items && list.steps.contains(list.head)
      && list.isMet(expected, by: list.head - 1)
    guard isSentAgain else {
      throw ServiceError.expectationFailed(
        expected: expected.description, list: list.name, head: list.headCursor)
    }
  }

  /// - Parameter target: what the changes make of the head; nil where they do not fit it.
  package mutating func commit(
    _ request: DeltaCommitRequest, leadingTo target: [Item]?, now: Timestamp
  ) throws -> CommitOutcome {
    var list = try self[request.list] ?? listToMake(request)
    let isExpected = request.expected.map { list.isMet($0, by: list.head) } ?? true
    guard isExpected, list.isState(list.head, request.from) else {
      let wasSent =
        list.steps.contains(list.head) && list.isState(list.head - 1, request.from)
        && list.isState(
          list.head,
          ListState(cursor: nil, count: request.to.count, checksum: request.to.checksum))
      if wasSent { return .unchanged(list.state(list.head)) }
      let expected =
        isExpected ? request.from.cursor?.description : request.expected?.description
      throw ServiceError.expectationFailed(
        expected: expected ?? "the list that the changes start from", list: list.name,
        head: list.headCursor)
    }
    guard let target, Checksum(of: try Snapshot(target)) == request.to.checksum,
      target.count == request.to.count
    else { throw ServiceError.misfit(list: list.name, reason: "") }
    defer { self[request.list] = list }
    if target == list.items { return .unchanged(list.state(list.head)) }
    let note = CommitNote(
      time: request.time ?? now, author: request.author, message: request.message)
    return .committed(try list.append(target, note))
  }

  private func listToMake(_ request: DeltaCommitRequest) throws -> TwinList {
    let list = TwinList(request.list)
    guard list.isState(0, request.from) else {
      throw ServiceError.noSuchList(request.list, known: lists.map(\.name))
    }
    return list
  }

  package mutating func edit(_ request: EditRequest, now: Timestamp) throws -> CommitOutcome {
    var list = try list(request.list)
    let items = try edited(request)
    if items == list.items { return .unchanged(list.state(list.head)) }
    let note = CommitNote(
      time: request.time ?? now, author: request.author, message: request.message)
    defer { self[request.list] = list }
    return .committed(try list.append(items, note))
  }

  package func preview(_ request: EditRequest) throws -> Delta {
    let list = try list(request.list)
    let items = try edited(request)
    return Delta(
      list: list.name, from: list.state(list.head), to: ListState(of: try Snapshot(items)),
      oldest: Version(list.oldest), changes: changesByDefinition(from: list.items, to: items))
  }

  private func edited(_ request: EditRequest) throws -> [Item] {
    let list = try list(request.list)
    if let expected = request.expected, !list.isMet(expected, by: list.head) {
      throw ServiceError.expectationFailed(
        expected: expected.description, list: list.name, head: list.headCursor)
    }
    var items = list.items
    var removed: Set<ItemID> = []
    func index(of id: ItemID) throws -> Int {
      guard let index = items.firstIndex(where: { $0.id == id }) else {
        throw ServiceError.itemAbsent(id, list: list.name, wasRemoved: removed.contains(id))
      }
      return index
    }
    for edit in request.edits {
      switch edit {
      case .remove(let id):
        items.remove(at: try index(of: id))
        removed.insert(id)
      case .put(let item, let place):
        let before = items.firstIndex { $0.id == item.id }
        if let before { items.remove(at: before) }
        let index =
          switch place {
          case nil: before ?? items.count
          case .first: 0
          case .last: items.count
          case .before(let id): try index(of: id)
          case .after(let id): try index(of: id) + 1
          case .at(let index): index
          }
        guard (0...items.count).contains(index) else {
          throw ServiceError.noSuchPlace(index, list: list.name, highest: items.count)
        }
        items.insert(item, at: index)
      }
    }
    return items
  }

  /// - Parameter failure: what the source throws after its states.
  package mutating func importStates(
    _ request: ImportRequest, _ states: [ImportedState], failure: (any Error)?
  ) throws -> ImportTally {
    var tally = ImportTally()
    var position = request.position
    for batch in states.chunks(of: request.limits.stateCount) {
      let hasVersion = batch.contains { if case .version = $0.content { true } else { false } }
      guard hasVersion || self[request.list] != nil else {
        tally.skippedCount += batch.count
        continue
      }
      var list = self[request.list] ?? TwinList(request.list)
      guard list.positions[request.source] == position else {
        throw ServiceError.importOvertaken(source: request.source, list: request.list)
      }
      if list.head > 0, list.positions.isEmpty, !request.goesOnFromVersions {
        throw ServiceError.notImported(list: list.name, head: Version(list.head))
      }
      list.idRule = request.idRule ?? list.idRule
      for state in batch {
        switch state.content {
        case .skipped: tally.skippedCount += 1
        case .version(let next, let note) where next.items != list.items:
          _ = try list.append(next.items, note)
          tally.versionCount += 1
        case .unchanged, .version: tally.unchangedCount += 1
        }
      }
      position = batch.last?.position
      list.positions[request.source] = position
      self[request.list] = list
    }
    if let failure { throw failure }
    return tally
  }
}
