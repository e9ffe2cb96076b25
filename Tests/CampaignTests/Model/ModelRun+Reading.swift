import ListChanges
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import Synchronization

extension ModelRun {
  /// A delta with the names of its moves, which equality of deltas ignores.
  private struct Named: Equatable, Sendable {
    let delta: Delta
    let ids: [ItemID?]

    init(_ delta: Delta) {
      self.delta = delta
      ids = delta.changes.moved.map(\.id)
    }
  }

  func compareDeltas(
    _ call: String, _ found: () async throws -> [Delta], with expected: () throws -> [Delta]
  ) async throws {
    try await compare(call) {
      try await found().map { Named($0) }
    } with: {
      try expected().map { Named($0) }
    }
  }

  private struct Shown: Equatable, Sendable {
    let state: ListState
    let snapshot: Snapshot
  }

  func show(_ store: ModelStore, _ choices: inout ModelChoices) async throws {
    let name = choices.listName()
    try await show(store, name, choices.revision(of: store.twin[name], now: clock.now))
  }

  func show(_ store: ModelStore, _ name: ListName, _ revision: Revision) async throws {
    let service = store.service
    try await compare("show \(name)@\(revision)") {
      let found = try await service.snapshot(of: name, at: revision)
      return Shown(state: found.state, snapshot: found.snapshot)
    } with: {
      let list = try store.twin.list(name)
      let version = try list.version(of: revision)
      return Shown(state: list.state(version), snapshot: try Snapshot(list.snapshots[version]))
    }
  }

  func delta(_ store: ModelStore, _ choices: inout ModelChoices) async throws {
    let name = choices.listName()
    try await delta(
      store, name, since: choices.revision(of: store.twin[name], now: clock.now),
      to: choices.revision(of: store.twin[name], now: clock.now))
  }

  func delta(
    _ store: ModelStore, _ name: ListName, since: Revision, to: Revision
  ) async throws {
    let service = store.service
    try await compareDeltas("delta of \(name) since \(since) to \(to)") {
      let delta = try await service.delta(of: name, since: since, to: to)
      // The promise itself: the delta applied to one list gives the other, and the root proves
      // it.
      let before = try await service.snapshot(of: name, at: since).snapshot
      let after = try before.applying(delta.changes)
      guard Root(of: after) == delta.to.root else {
        throw ModelDifference(call: "apply", found: "\(after)", expected: "\(delta.to)")
      }
      return [delta]
    } with: {
      [try store.twin.delta(of: name, since: since, to: to)]
    }
  }

  func catchUp(_ store: ModelStore, _ choices: inout ModelChoices) async throws {
    let name = choices.listName()
    var request = CatchUpRequest(
      list: name, since: choices.revision(of: store.twin[name], now: clock.now))
    if choices.chance(3) { request.to = choices.revision(of: store.twin[name], now: clock.now) }
    if choices.chance(2) { request.changeLimit = choices.number(1...(isLarge ? 1_000 : 40)) }
    request.fallsBack = choices.chance(2)
    request.takesSmaller = choices.chance(3)
    let (service, asked) = (store.service, request)
    try await compare(
      "catch up with \(name) since \(request.since) to \(request.to), at most "
        + "\(text(request.changeLimit)), \(request.fallsBack ? "falling back" : ""), "
        + "\(request.takesSmaller ? "the smaller" : "")"
    ) {
      try await service.catchUp(asked)
    } with: {
      try store.twin.catchUp(asked)
    }
  }

  func replay(_ store: ModelStore, _ choices: inout ModelChoices) async throws {
    let name = choices.listName()
    let from = choices.revision(of: store.twin[name], now: clock.now)
    let to = choices.revision(of: store.twin[name], now: clock.now)
    let service = store.service
    try await compareDeltas("replay \(name) from \(from) to \(to)") {
      let deltas = Mutex<[Delta]>([])
      try await service.replay(name, from: from, to: to) { delta in
        deltas.withLock { $0.append(delta) }
      }
      return deltas.withLock { $0 }
    } with: {
      try store.twin.replay(name, from: from, to: to)
    }
  }

  func log(_ store: ModelStore, _ choices: inout ModelChoices) async throws {
    let name = choices.listName()
    let limit = choices.chance(2) ? choices.number(0...5) : nil
    let service = store.service
    try await compare("log of \(name), at most \(text(limit))") {
      try await service.log(of: name, limit: limit)
    } with: {
      try store.twin.log(of: name, limit: limit)
    }
    try await compare("prunes of \(name)") {
      try await service.prunes(of: name)
    } with: {
      try store.twin.list(name).prunes
    }
  }

  func history(_ store: ModelStore, _ choices: inout ModelChoices) async throws {
    let name = choices.listName()
    let list = store.twin[name]
    let id = choices.id(in: list?.snapshots[choices.number(0...(list?.head ?? 0))] ?? [])
    let service = store.service
    let first = choices.chance(2) ? choices.number(1...5) : nil
    let before = choices.chance(3) ? Version(choices.number(0...(list?.head ?? 0) + 2)) : nil
    try await compare("history of '\(id)' in \(name), before \(text(before?.number))") {
      try await service.history(of: id, in: name, before: before)
    } with: {
      try store.twin.history(of: id, in: name).filter { entry in
        before.map { entry.record.version < $0 } ?? true
      }
    }
    let call = "places of '\(id)' in \(name), first \(text(first)), before \(text(before?.number))"
    try await compare(call) {
      try await service.places(of: id, in: name, first: first, before: before).runs
    } with: {
      try store.twin.places(of: id, in: name, first: first, before: before)
    }
  }

  func lists(_ store: ModelStore) async throws { try await checkLists(store.service, store.twin) }

  /// Checks the overview of a store.
  func checkLists(_ service: SyncService, _ twin: TwinStore) async throws {
    try await compare("lists") {
      try await service.lists()
    } with: {
      twin.summaries
    }
    try await compare("former lists") {
      try await service.retiredLists()
    } with: {
      twin.retiredLists
    }
    for list in twin.lists {
      try await compare("tags of \(list.name)") {
        try await service.tags(of: list.name)
      } with: {
        try twin.tags(of: list.name)
      }
      try await compare("id rule of \(list.name)") {
        try await service.idRule(of: list.name)
      } with: {
        list.idRule
      }
    }
  }
}
