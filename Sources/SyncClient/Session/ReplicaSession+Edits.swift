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
      return edit.isEmpty ? queue : queue.editing(edit, over: copy)
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
    try await change { $0.resolved(preferring: side, over: $1) }
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
    guard !isWriting, !writes.isEmpty else { return }
    isWriting = true
    let (queue, copy) = (editing.queue, machine.copy)
    switch writes.removeFirst() {
    case .step(let number, let step):
      let edits = editing.queue(after: step)
      store(step, edits) { session, error in
        if let error { return session.handle(.saveFailed(number, error)) }
        session.handle(.saved(number))
        session.handle(
          .saved(edits, over: step.after.cursor, .step(hasDiverged: step.reason.hasDiverged)))
      }
    case .machine(let change):
      let edits = queue.applying(change, over: copy)
      store(nil, edits) { session, error in
        session.handle(error.map { .saveFailed($0) } ?? .saved(edits, over: copy.cursor, .own))
      }
    case .app(let make, let caller):
      do {
        guard machine.isShowable, machine.state != .stopped else { throw EditError.notEditable }
        let edits = try make(queue, copy)
        store(nil, edits) { session, error in
          if let error { return caller.resume(throwing: error) }
          session.handle(.saved(edits, over: copy.cursor, .user))
          caller.resume()
        }
      } catch {
        isWriting = false
        caller.resume(throwing: error)
        beginNextWrite()
      }
    }
  }

  /// Writes to the storage, and then the next write in turn.
  private func store(
    _ step: ReplicaStep?, _ edits: EditQueue,
    _ end: @escaping @Sendable (isolated ReplicaSession, ReplicaError?) -> Void
  ) {
    let storage = storage
    let changed = edits == editing.queue ? nil : edits
    Task { [weak self] in
      var failure: ReplicaError?
      do throws(ReplicaError) {
        if step != nil || changed != nil { try await storage.save(step, changed) }
      } catch {
        failure = error
      }
      await self?.finishWriting(failure, end)
    }
  }

  private func finishWriting(
    _ error: ReplicaError?, _ end: (isolated ReplicaSession, ReplicaError?) -> Void
  ) {
    // No write begins before copy and edits are both those of this one.
    end(self, error)
    isWriting = false
    beginNextWrite()
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
