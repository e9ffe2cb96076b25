import ListChanges
import ListModel

/// A write to the storage of a session. Writes are made one after the other, each on the result of
/// the former ones.
enum ReplicaWrite {
  /// A step of the copy.
  case step(Int, ReplicaStep)
  /// A change of the edits by the machine that sends them.
  case machine(EditMachine.Change)
  /// A change of the edits by the app, which waits for its end.
  case app(
    @Sendable (EditQueue, ListCopy) throws -> EditQueue, CheckedContinuation<Void, any Error>)
  /// None: the app has edited the rows itself.
  case reload
}

extension ReplicaSession {
  /// Edits the shown list: the copy with all earlier edits. The edited list is saved, then shown,
  /// then sent as soon as the server is there, and merged into newer versions.
  ///
  /// News of others are merged by id and, in an item, by member. An edit in conflict with them is
  /// kept and shown, and reported by ``editStates``; a further edit decides for the list as it is
  /// shown.
  ///
  /// - Parameter body: changes the list. It may be called again, never at the same time.
  /// - Throws: errors of the body; `EditError`; `ReplicaError.notSaved`. The list is then
  ///   unchanged.
  /// - Complexity: O(n) for the n items of the list.
  public func edit(_ body: @escaping @Sendable (inout [Item]) throws -> Void) async throws {
    try await editByChanges { items in
      var edited = items
      try body(&edited)
      let new: Snapshot
      do {
        new = try Snapshot(edited)
      } catch {
        throw EditError.notAList(reason: "\(error)")
      }
      return Snapshot(uniqueItems: items).changes(to: new)
    }
  }

  /// - Parameter changes: the changes of the shown items.
  func editByChanges(
    _ changes: @escaping @Sendable ([Item]) throws -> ChangeSet<Item>
  ) async throws {
    try await start()
    if await origin.isReadOnly { throw EditError.readOnly }
    try await change { queue, copy in
      let shown = ShownCopy(copy: copy, stepCount: 0, edits: queue.shownChanges)
      let edit = try changes(shown.items)
      return edit.isEmpty ? queue : try queue.editing(edit, over: copy)
    }
  }

  /// Decides all conflicts of refused edits, which are then sent. Edits that the server may have,
  /// as after ``EditRefusal/unknownOutcome``, are sent as new ones. Does nothing if no edits are
  /// refused.
  ///
  /// - Parameter side: `mine` for the edits, `theirs` for what others have made of the same
  ///   members and items.
  /// - Throws: `ReplicaError.notSaved`.
  public func resolve(preferring side: MergeSide) async throws {
    guard case .refused = editing.state else { return }
    try await change { try $0.resolved(preferring: side, over: $1) }
  }

  /// Forgets all edits that the copy does not have. Those that the server has come back with the
  /// next news.
  ///
  /// - Throws: `ReplicaError.notSaved`.
  public func discardEdits() async throws { try await change { _, _ in .empty } }

  private func change(
    _ make: @escaping @Sendable (EditQueue, ListCopy) throws -> EditQueue
  ) async throws {
    try await withCheckedThrowingContinuation { write(.app(make, $0)) }
  }
}

extension ReplicaSession {
  func write(_ write: ReplicaWrite) {
    writes.append(write)
    beginNextWrite()
  }

  private func beginNextWrite() {
    guard !isWriting, let write = writes.first else { return }
    isWriting = true
    do {
      try begin(write)
      writes.removeFirst()
    } catch is StaleRows {
      reload()
    } catch {
      writes.removeFirst()
      isWriting = false
      end(write, error)
      beginNextWrite()
    }
  }

  /// Begins a write, which is the first one that waits.
  private func begin(_ write: ReplicaWrite) throws {
    let (queue, copy) = (editing.queue, machine.copy)
    switch write {
    case .step(_, let step): store(step, try editing.queue(after: step), write)
    case .machine(let change): store(nil, try queue.applying(change, over: copy), write)
    case .app(let make, _):
      guard machine.isShowable, machine.state != .stopped else { throw EditError.notEditable }
      store(nil, try make(queue, copy), write)
    case .reload: throw StaleRows()
    }
  }

  /// Ends a write that failed.
  private func end(_ write: ReplicaWrite, _ error: any Error) {
    let failure = error as? ReplicaError ?? .notSaved(reason: "\(error)")
    switch write {
    case .step(let number, _): handle(.saveFailed(number, failure))
    case .machine: handle(EditMachine.Event.saveFailed(failure))
    case .app(_, let caller): caller.resume(throwing: error)
    case .reload: update { $0.abandonCopy(failure) }
    }
  }

  /// Ends a write that is in the storage.
  private func end(_ write: ReplicaWrite, _ edits: EditQueue) {
    let cursor = machine.copy.cursor
    switch write {
    case .step(let number, let step):
      handle(.saved(number))
      handle(
        .saved(
          edits, over: step.after.cursor, .step(hasDiverged: step.reason.hasDiverged)))
    case .machine: handle(.saved(edits, over: cursor, .own))
    case .app(_, let caller):
      handle(.saved(edits, over: cursor, .user))
      caller.resume()
    case .reload: break
    }
  }

  /// Writes to the storage, and then the next write in turn.
  private func store(_ step: ReplicaStep?, _ edits: EditQueue, _ write: ReplicaWrite) {
    let storage = storage
    let changed = edits == editing.queue ? nil : edits
    Task { [weak self] in
      do {
        var rebased: ListCopy?
        if step == nil, changed == nil {
          // Nothing changes.
        } else if let rows = storage as? any RowStorage {
          rebased = try await rows.saveRows(step, changed)
        } else {
          try await storage.save(step, changed)
        }
        await self?.finish(write, edits, rebased)
      } catch {
        await self?.finish(write, error)
      }
    }
  }

  private func finish(_ write: ReplicaWrite, _ edits: EditQueue, _ rebased: ListCopy?) {
    end(write, edits)
    if let rebased { replaceCopy(by: rebased) }
    goOn()
  }

  private func finish(_ write: ReplicaWrite, _ error: any Error) {
    if error is StaleRows {
      writes.insert(write, at: 0)
      return reload()
    }
    end(write, error)
    goOn()
  }

  /// Begins the next write, when copy and edits are both those of the last one.
  private func goOn() {
    isWriting = false
    beginNextWrite()
    notify()
  }

  /// Takes over the rows that others have written, before the write that found them.
  private func reload() {
    guard let rows = storage as? any RowStorage else { preconditionFailure("there are rows") }
    Task { [weak self] in
      do {
        let (copy, edits) = try await rows.reload()
        try await self?.takeOver(copy, edits)
      } catch is StaleRows {
        await self?.reload()
      } catch {
        await self?.failFirstWrite(error)
      }
    }
  }

  private func takeOver(_ copy: ListCopy, _ edits: EditQueue) throws {
    writes = try writes.compactMap { write in
      switch write {
      case .reload: nil
      case .step(let number, let step):
        step.before.state == copy.state ? .step(number, try step.over(copy)) : nil
      case .machine, .app: write
      }
    }
    let isOfOthers = copy.cursor != machine.copy.cursor
    replaceCopy(by: copy)
    handle(.saved(edits, over: copy.cursor, isOfOthers ? .others : .user))
    goOn()
  }

  private func failFirstWrite(_ error: any Error) {
    if !writes.isEmpty { end(writes.removeFirst(), error) }
    goOn()
  }

  private func replaceCopy(by copy: ListCopy) {
    for effect in machine.replaceCopy(by: copy) { perform(effect) }
    // Another process may have saved one that the key has not signed.
    recent.replaceCopy(by: machine.options.trusts(copy) ? copy : .empty)
    notify()
  }

  /// Takes over edits that the app has made in the rows itself.
  package func rowsAreEdited() {
    guard machine.state != .idle, machine.state != .stopped else { return }
    write(.reload)
  }

  func handle(_ event: EditMachine.Event) {
    let former = (editing.queue, editing.state)
    let effects = editing.handle(event)
    for effect in effects { perform(effect) }
    if editing.queue != former.0 { editCount += 1 }
    if editing.state != former.1 { yieldEditState() }
    notify()
  }

  /// Asks once for news that a request on its way may not bring, if the replica does not watch.
  func askForNews() {
    guard wantsNews, case .current = machine.state else { return }
    wantsNews = false
    handle(.resume)
  }

  private func perform(_ effect: EditMachine.Effect) {
    switch effect {
    case .write(let change): write(.machine(change))
    case .send(let request):
      let (origin, clock) = (origin, clock)
      editTask = Task { [weak self] in
        let answer = await origin.commit(request)
        await self?.handle(.answered(request.number, answer, random: clock.random()))
      }
    case .setTimer(let number, let seconds):
      let clock = clock
      editTask = Task { [weak self] in
        // After a cancellation the machine ignores the number.
        try? await clock.sleep(seconds)
        await self?.handle(EditMachine.Event.timerFired(number))
      }
    case .cancel, .cancelTimer:
      editTask?.cancel()
      editTask = nil
    case .catchUp:
      wantsNews = true
      askForNews()
    }
  }
}
