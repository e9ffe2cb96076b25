import ListModel
import StoreTestSupport
import SyncService

extension ModelRun {
  func commit(_ store: ModelStore, _ choices: inout ModelChoices, isDry: Bool) async throws {
    let name = choices.listName()
    let list = store.twin[name]
    let snapshot = try Snapshot(try choices.items(after: list))
    let outline = choices.chance(2) ? ListOutline(snapshot) : .ofFile(with: snapshot.items)
    var request = CommitRequest(list: name, .whole(outline))
    request.expected = choices.expectation(of: list)
    request.author = choices.author()
    request.message = choices.author()
    request.allowsEarlierTime = true
    if !isDry { store.sent.append(request) }
    if choices.chance(3) { request.time = choices.time(clock.now) }
    if choices.chance(4) { request.idRule = choices.element(of: ["/id", "/name"]) }
    request.beginsAgain = list == nil && choices.chance(2)
    let call =
      "\(isDry ? "preview" : "commit") \(name)\(request.beginsAgain ? " again" : "") "
      + "with \(text(snapshot.items)), "
      + "expecting \(request.expected), at \(text(request.time))"
    let (service, asked) = (store.service, request)
    if isDry {
      return try await compareDeltas(call) {
        [try await service.preview(asked)]
      } with: {
        [try store.twin.preview(asked)]
      }
    }
    try await compare(call) {
      try await service.commit(asked)
    } with: {
      try store.twin.commit(asked, now: clock.now)
    }
  }

  /// Commits changes that fit, and sometimes changes that do not.
  func commitDelta(_ store: ModelStore, _ choices: inout ModelChoices) async throws {
    let name = choices.listName()
    let list = store.twin[name] ?? TwinList(name)
    let from = choices.chance(5) ? choices.number(0...list.head) : list.head
    var target: [Item]? = try choices.items(after: list)
    if from < list.head, choices.chance(2) { target = list.items }
    var changes = BareChanges(changesByDefinition(from: list.snapshots[from], to: target ?? []))
    var to = ListState(of: try Snapshot(target ?? []))
    var manner = "canonical"
    switch choices.number(0...9) {
    case 0:
      manner = "with all matched items moved"
      changes = changes.movingAll(from: list.snapshots[from], to: target ?? [])
    case 1:
      manner = "with another root"
      to = ListState(cursor: nil, count: to.count, root: .empty)
      if to.count > 0 { target = nil }
    case 2:
      manner = "with a removal of nobody"
      changes = changes.adding(removed: [.init(id: "nobody", from: 0)])
      target = nil
    case 3:
      guard let first = list.snapshots[from].first else { break }
      manner = "with an item inserted that is there"
      changes = changes.adding(inserted: [.init(item: first, to: changes.newCount)])
      target = nil
    default: break
    }
    let state = list.state(from)
    var request = CommitRequest(
      list: name,
      .changes(
        changes,
        from: choices.chance(3)
          ? ListState(cursor: nil, count: state.count, root: state.root) : state, to: to))
    request.expected = choices.chance(4) ? choices.expectation(of: list) : []
    request.author = choices.author()
    let (service, asked, end) = (store.service, request, target)
    try await compare(
      "commit changes \(manner) of \(name) from \(from) to \(text(target ?? [])), "
        + "expecting \(request.expected)"
    ) {
      try await service.commit(asked)
    } with: {
      try store.twin.commit(asked, leadingTo: end, now: clock.now)
    }
  }

  func edit(_ store: ModelStore, _ choices: inout ModelChoices, isDry: Bool) async throws {
    let name = choices.listName()
    let list = store.twin[name]
    let edits = try choices.edits(of: list)
    try await commit(
      CommitRequest(list: name, edits: edits), store, &choices, isDry: isDry, "edits \(edits)")
  }

  func revert(_ store: ModelStore, _ choices: inout ModelChoices) async throws {
    let name = choices.listName()
    let revision = choices.revision(of: store.twin[name], now: clock.now)
    try await commit(
      CommitRequest(list: name, revertTo: revision), store, &choices, isDry: choices.chance(3),
      "revert to \(revision)")
  }

  private func commit(
    _ request: CommitRequest, _ store: ModelStore, _ choices: inout ModelChoices, isDry: Bool,
    _ change: String
  ) async throws {
    var request = request
    request.expected =
      choices.chance(3) ? choices.expectation(of: store.twin[request.list]) : []
    request.message = choices.author()
    store.sent.append(request)
    // A client may send a request again, however late.
    if choices.chance(3) { request = choices.element(of: Array(store.sent.suffix(20))) }
    let call =
      "\(isDry ? "preview" : "commit") of \(request.list), "
      + "expecting \(request.expected): \(change), or sent again: \(request.content)"
    let (service, asked) = (store.service, request)
    if isDry {
      return try await compareDeltas(call) {
        [try await service.preview(asked)]
      } with: {
        [try store.twin.preview(asked)]
      }
    }
    try await compare(call) {
      try await service.commit(asked)
    } with: {
      try store.twin.commit(asked, now: clock.now)
    }
  }

  func importStates(_ store: ModelStore, _ choices: inout ModelChoices) async throws {
    let name = choices.listName()
    var list = store.twin[name] ?? TwinList(name)
    let source = choices.element(of: ["git", "folder"])
    var states: [ImportedState] = []
    for number in 0..<choices.number(0...5) {
      var content = ImportedState.Content.skipped
      if choices.chance(6) {
        content = .unchanged
      } else if !choices.chance(6) {
        let items = try choices.items(after: list)
        let note = CommitNote(time: choices.time(clock.now), author: choices.author())
        content = .version(try Snapshot(items), note)
        // The list after the first edits of the next state.
        list = TwinList(name)
        var one = TwinStore()
        _ = try one.commit(.init(list: name, snapshot: try Snapshot(items)), now: clock.now)
        list = one[name] ?? list
      }
      states.append(
        ImportedState(position: "p\(choices.number(0...99)).\(number)", content: content))
    }
    let known = store.twin[name]?.positions[source]
    var request = ImportRequest(
      list: name, source: source, after: choices.chance(8) ? "elsewhere" : known)
    request.idRule = choices.chance(3) ? "/id" : nil
    request.goesOnFromVersions = choices.chance(2)
    request.limits.stateCount = choices.number(1...3)
    // Only the number of states decides where a transaction ends.
    request.limits.duration = .seconds(3_600)
    let failure = choices.chance(6) ? SourceFailure() : nil
    let (service, asked, given) = (store.service, request, states)
    try await compare(
      "import \(states.count) states from \(source) after \(request.position ?? "nothing") "
        + "into \(name)"
    ) {
      try await service.importStates(asked, from: States(states: given[...], failure: failure))
    } with: {
      try store.twin.importStates(asked, given, failure: failure)
    }
    try await compare("position of \(source) in \(name)") {
      try await service.importPosition(of: source, in: name)
    } with: {
      store.twin[name]?.positions[source]
    }
  }

  private struct SourceFailure: Error {}

  private struct States: ImportSource {
    var states: ArraySlice<ImportedState>
    let failure: SourceFailure?

    mutating func next() throws -> ImportedState? {
      if let state = states.popFirst() { return state }
      if let failure { throw failure }
      return nil
    }
  }
}

extension ModelRun {
  func text(_ items: [Item]) -> String {
    items.count < 9 ? "\(items.map(\.id))" : "\(items.count) items"
  }

  func text<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "nothing" }
}

extension BareChanges {
  func adding(removed: [Removal] = [], inserted: [Insertion] = []) -> BareChanges {
    BareChanges(
      oldCount: oldCount, newCount: newCount - removed.count + inserted.count,
      removed: removed + self.removed, moved: moved, inserted: self.inserted + inserted,
      updated: updated)
  }

  /// The same changes with every matched item moved and updated: valid, but far from canonical.
  func movingAll(from old: [Item], to new: [Item]) -> BareChanges {
    let places = Dictionary(uniqueKeysWithValues: new.enumerated().map { ($1.id, $0) })
    let matched = old.enumerated().compactMap { from, item in
      places[item.id].map { Move(id: item.id, from: from, to: $0) }
    }
    return BareChanges(
      oldCount: oldCount, newCount: newCount, removed: removed, moved: matched,
      inserted: inserted,
      updated: matched.sorted { $0.to < $1.to }.map {
        Update(item: new[$0.to], from: $0.from, to: $0.to)
      })
  }
}
