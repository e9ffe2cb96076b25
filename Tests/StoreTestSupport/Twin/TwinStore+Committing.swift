import ListChanges
import ListModel
import ListStore
import SyncService
import TestSupport

extension TwinStore {
  /// - Parameter target: what changes make of the head; nil where they do not fit it.
  package mutating func commit(
    _ request: CommitRequest, leadingTo target: [Item]? = nil, now: Timestamp
  ) throws -> CommitOutcome {
    var list = try self[request.list] ?? listToMake(request)
    if let found = try found(request, list) { return found }
    let items = try items(of: request, list, target)
    list.idRule = request.idRule ?? list.idRule
    defer { self[request.list] = list }
    if items == list.items { return .unchanged(list.state(list.head)) }
    var message = request.message
    if case .revert(let revision) = request.content {
      message = try message ?? "Revert to version \(list.version(of: revision))"
    }
    let note = CommitNote(time: request.time ?? now, author: request.author, message: message)
    return .committed(list.append(items, note))
  }

  package func preview(_ request: CommitRequest) throws -> Delta {
    let list = try self[request.list] ?? listToMake(request)
    let isFound = try found(request, list) != nil
    let items = isFound ? list.items : try items(of: request, list, nil)
    return Delta(
      list: list.name, from: list.state(list.head), to: ListState(of: try Snapshot(items)),
      oldest: self[request.list].map { Version($0.oldest) },
      changes: changesByDefinition(from: list.items, to: items))
  }

  private func listToMake(_ request: CommitRequest) throws -> TwinList {
    let new = TwinList(request.list)
    switch request.content {
    case .whole: break
    case .changes(_, let from, _) where new.isState(0, from): break
    default: return try list(request.list)
    }
    if !request.beginsAgain { try checkIsNew(request.list) }
    return new
  }

  /// The outcome of a request that is not for the head; nil if it is for the head.
  private func found(_ request: CommitRequest, _ list: TwinList) throws -> CommitOutcome? {
    guard let refusal = refusal(of: request, list, at: list.head) else { return nil }
    let isNamed: Bool =
      if case .changes(_, let from, _) = request.content {
        from.cursor != nil || request.expected.contains { $0.version != nil }
      } else {
        true
      }
    for version in list.steps.reversed() where isNamed || version == list.head {
      guard self.refusal(of: request, list, at: version - 1) == nil,
        let result = try? result(of: request, list, at: version - 1),
        result.items == list.snapshots[version]
      else { continue }
      let note = list.record(version).note
      let isOwn =
        Self.isSame(note.author, request.author) && Self.isSame(note.message, result.message)
      return .found(list.record(version), isOwn: isOwn)
    }
    throw refusal
  }

  private static func isSame(_ a: String?, _ b: String?) -> Bool {
    a.map { Array($0.utf8) } == b.map { Array($0.utf8) }
  }

  /// Why a request is refused at a version; nil if it is for that version.
  private func refusal(
    of request: CommitRequest, _ list: TwinList, at version: Int
  ) -> ServiceError? {
    if case .changes(_, let from, _) = request.content, !list.isState(version, from) {
      return .notTheStart(expected: from.cursor, list: list.name, head: list.headCursor)
    }
    if list.isMet(request.expected, by: version) { return nil }
    return .expectationFailed(
      expected: request.expected, list: list.name, head: list.headCursor)
  }

  /// What a request made at an earlier version, if it was carried out there.
  private func result(
    of request: CommitRequest, _ list: TwinList, at version: Int
  ) throws -> (items: [Item], message: String?) {
    let past = list.asOf(head: version, oldest: list.oldest)
    switch request.content {
    case .whole(let outline): return (outline.snapshot.items, request.message)
    case .edits(let edits): return (try edited(past, edits), request.message)
    case .revert(let revision):
      let isRelative = if case .head = revision { true } else { false }
      let target = try (isRelative ? past : list).version(of: revision)
      return (list.snapshots[target], request.message ?? "Revert to version \(target)")
    case .changes(_, _, let to?):
      let end = list.state(version + 1)
      let isEnd = (to.count, to.root) == (end.count, end.root)
      return (isEnd ? list.snapshots[version + 1] : [], request.message)
    case .changes(let changes, _, nil):
      let step = try changes.completed { past.items[$0] }
      return (try past.items.applying(step), request.message)
    }
  }

  private func items(
    of request: CommitRequest, _ list: TwinList, _ target: [Item]?
  ) throws -> [Item] {
    switch request.content {
    case .whole(let outline): return outline.snapshot.items
    case .revert(let revision): return try list.snapshot(list.version(of: revision)).items
    case .changes(_, _, let to):
      guard let target, case let end = ListState(of: try Snapshot(target)),
        to.map({ ($0.count, $0.root) == (end.count, end.root) }) ?? true
      else { throw ServiceError.misfit(list: list.name, reason: "") }
      return target
    case .edits(let edits): return try edited(list, edits)
    }
  }

  private func edited(_ list: TwinList, _ edits: [Edit]) throws -> [Item] {
    var items = list.items
    var removed: Set<ItemID> = []
    var doneCount = 0
    func index(of id: ItemID) throws -> Int {
      guard let index = items.firstIndex(where: { $0.id == id }) else {
        throw ServiceError.itemAbsent(
          id, list: list.name, wasRemoved: removed.contains(id), edit: doneCount)
      }
      return index
    }
    func place(_ item: Item, at place: Edit.Place) throws {
      let index =
        switch place {
        case .first: 0
        case .last: items.count
        case .before(let id): try index(of: id)
        case .after(let id): try index(of: id) + 1
        case .at(let index): index
        }
      guard (0...items.count).contains(index) else {
        throw ServiceError.noSuchPlace(
          index, list: list.name, highest: items.count, edit: doneCount)
      }
      items.insert(item, at: index)
    }
    func checkNeighbour(of id: ItemID, in place: Edit.Place?) throws {
      switch place {
      case .before(id), .after(id):
        throw ServiceError.besideItself(id, list: list.name, edit: doneCount)
      default: return
      }
    }
    for edit in edits {
      switch edit {
      case .remove(let id):
        items.remove(at: try index(of: id))
        removed.insert(id)
      case .put(let item, let asked):
        try checkNeighbour(of: item.id, in: asked)
        let before = items.firstIndex { $0.id == item.id }
        if let before { items.remove(at: before) }
        try place(item, at: asked ?? before.map { .at($0) } ?? .last)
      case .move(let id, let asked):
        try checkNeighbour(of: id, in: asked)
        try place(items.remove(at: index(of: id)), at: asked)
      }
      doneCount += 1
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
      if self[request.list] == nil { try checkIsNew(request.list) }
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
          let oldCount = list.items.count
          let version = list.append(next.items, note)
          tally.versionCount += 1
          // Many for a list without a limit of its own.
          if version.changes.removed > max(9, oldCount / 2) {
            tally.largeRemovals.append(
              LargeRemoval(position: state.position, version: version, oldCount: oldCount))
          }
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
