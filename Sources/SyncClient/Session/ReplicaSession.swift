import Foundation
import ListChanges
import ListModel

/// Runs a ``ReplicaMachine`` over an origin and a storage.
///
/// A session runs until it is stopped or deallocated, through lost networks and restarted servers.
/// Its items are not decoded; ``Replica`` decodes them.
public actor ReplicaSession {
  let origin: any ReplicaOrigin
  let storage: any ReplicaStorage
  let clock: ReplicaClock
  private let limits: Limits
  var machine: ReplicaMachine
  /// Sends the edits; its queue is the saved one, over the machine's copy.
  var editing: EditMachine
  /// The request or timer of the edits.
  var editTask: Task<Void, Never>?
  /// The writes to the storage that wait for their turn, and whether one is being made.
  var writes: [ReplicaWrite] = []
  var isWriting = false
  /// Whether the server has something of the edits that the copy lacks.
  var wantsNews = false
  /// How often the shown list changed by other means than a step.
  var editCount = 0
  var recent = RecentSteps(.empty)
  /// The running requests, timers and saves, by their numbers.
  private var tasks: [Int: Task<Void, Never>] = [:]
  /// The waiting callers. Their streams end at the next event.
  private var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
  private var lastWaiter = 0
  /// The readers of ``states``.
  private var readers: [AsyncStream<ReplicaMachine.State>.Continuation] = []
  /// The readers of ``editStates``.
  private var editReaders: [AsyncStream<EditState>.Continuation] = []
  /// The loading of the saved copy, which all callers of ``start()`` share. The end of a caller's
  /// task does not end it.
  private var loading: Task<Result<Void, ReplicaError>, Never>?

  /// Makes a session, which has not started. The limits apply to the list, its items and ids.
  public init(
    _ options: ReplicaMachine.Options, origin: any ReplicaOrigin,
    storage: any ReplicaStorage, clock: ReplicaClock = .system, limits: Limits = .standard
  ) {
    machine = ReplicaMachine(options)
    editing = EditMachine(list: options.list, retry: options.retry)
    self.origin = origin
    self.storage = storage
    self.clock = clock
    self.limits = limits
  }

  /// A session with a server.
  public init(
    _ options: ReplicaMachine.Options, transport: any ReplicaTransport,
    storage: any ReplicaStorage, clock: ReplicaClock = .system, limits: Limits = .standard
  ) {
    self.init(
      options, origin: ServerOrigin(transport: transport), storage: storage, clock: clock,
      limits: limits)
  }

  deinit {
    for task in tasks.values { task.cancel() }
    editTask?.cancel()
    for reader in readers { reader.finish() }
    for reader in editReaders { reader.finish() }
  }

  public var state: ReplicaMachine.State { machine.state }

  /// The last verified and saved copy.
  public var copy: ListCopy { recent.copy }

  /// Loads the saved copy and starts. Does nothing if the session is started, and waits for the
  /// copy if it is being loaded.
  ///
  /// - Returns: the saved copy, or the present one of a started session; with a key, the empty copy
  ///   in place of one that the key has not signed.
  /// - Throws: one of the errors of `ReplicaError` listed under "When a file is opened"; `start`
  ///   may be called again.
  @discardableResult
  public func start() async throws(ReplicaError) -> ListCopy {
    guard case .idle = machine.state else { return copy }
    let loading = loading ?? Task { await load() }
    self.loading = loading
    try await loading.value.get()
    return copy
  }

  private func load() async -> Result<Void, ReplicaError> {
    defer { loading = nil }
    do throws(ReplicaError) {
      let rows = storage as? any RowStorage
      let saved = if let rows { try await rows.loadRows() } else { try await storage.load() }
      let edits = await storage.edits()
      guard case .idle = machine.state else { return .success(()) }
      // A copy that the key has not signed is replaced before anybody sees it.
      recent = RecentSteps(machine.options.trusts(saved) ? saved : .empty)
      handle(.start(saved))
      handle(.saved(edits, over: saved.cursor, .user))
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  /// Cancels the pending request, and sends none until ``resume()``, also if the saved copy is
  /// still being loaded.
  public func pause() { handle(.pause) }

  /// Continues after a pause or a failure, ends a wait for another try, and asks for news if the
  /// session does not watch. Edits that the server has refused are sent again.
  public func resume() {
    handle(.resume)
    handle(.retry)
  }

  /// Stops the session for good, after a running save. ``settle()`` waits for it, and the storage
  /// is not used afterwards.
  public func stop() { handle(.stop) }

  /// Waits until the session is current without watching and sends no edits, or is stopped.
  ///
  /// - Throws: the `ReplicaError` that ended the session; `CancellationError`.
  public func settle() async throws {
    while true {
      try Task.checkCancellation()
      switch machine.state {
      case .current where editing.isBusy, .stopped where isWriting: await nextEvent()
      case .current, .stopped: return
      case .failed(let error): throw error
      case .idle, .asking, .waiting, .saving, .paused: await nextEvent()
      }
    }
  }

  func handle(_ event: ReplicaMachine.Event) { update { $0.handle(event) } }

  /// Changes the machine, carries out its effects, and tells of its new state.
  func update(_ change: (inout ReplicaMachine) -> [ReplicaMachine.Effect]) {
    let former = machine.state
    for effect in change(&machine) { perform(effect) }
    if machine.hasStaleRows { write(.reload) }
    notify()
    if machine.state != former {
      readers.removeAll { !yieldState($0) }
      handle(.enable(machine.sendsEdits))
      askForNews()
    }
  }

  /// Wakes the callers that wait for an event.
  func notify() { for waiter in waiters.values { waiter.finish() } }

  func perform(_ effect: ReplicaMachine.Effect) {
    switch effect {
    case .send(let request): send(request)
    case .cancel(let number), .cancelTimer(let number):
      tasks.removeValue(forKey: number)?.cancel()
    case .setTimer(let number, let seconds): setTimer(number, seconds)
    case .save(let number, let step): write(.step(number, step))
    case .show(let step): recent.append(step)
    }
  }

  private func finish(_ number: Int, _ event: ReplicaMachine.Event) {
    tasks[number] = nil
    handle(event)
  }

  // Tasks hold the session weakly while they wait, so that it can be deallocated.

  private func send(_ request: ReplicaRequest) {
    let (origin, clock, limits) = (origin, clock, limits)
    let copy = request.purpose == .startOver ? ListState.zero : machine.base.state
    tasks[request.number] = Task { [weak self] in
      let start = clock.now()
      let answer = await origin.answer(to: request, from: copy, limits: limits)
      let timing = ReplicaMachine.ResponseTiming(
        elapsedSeconds: clock.now() - start, random: clock.random())
      await self?.finish(request.number, .answered(request.number, answer, timing))
    }
  }

  private func setTimer(_ number: Int, _ seconds: Double) {
    let clock = clock
    tasks[number] = Task { [weak self] in
      // After a cancellation the machine ignores the number.
      try? await clock.sleep(seconds)
      await self?.finish(number, .timerFired(number))
    }
  }
}

extension ReplicaSession {
  /// Waits until the next event, or until the task is cancelled.
  private func nextEvent() async {
    let (events, waiter) = AsyncStream.makeStream(of: Void.self)
    lastWaiter += 1
    let number = lastWaiter
    waiters[number] = waiter
    for await _ in events {}
    waiters[number] = nil
  }

  /// The step from the shown copy to the present one, and the changes of the shown list, as soon as
  /// they differ; nil when the session has ended.
  ///
  /// - Throws: the `ReplicaError` that ended the session; `CancellationError`.
  func nextStep(
    after shown: ShownCopy
  ) async throws -> (step: ReplicaStep, changes: ChangeSet<Item>, shown: ShownCopy)? {
    while true {
      try Task.checkCancellation()
      if machine.isShowable, !shown.isOf(recent, editCount) {
        let step = try recent.step(from: shown.copy, after: shown.stepCount)
        let edits = editing.queue.shownChanges
        let changes = try shown.changes(by: step, edits: edits)
        return (
          step, changes,
          ShownCopy(
            copy: recent.copy, stepCount: recent.stepCount, edits: edits, editCount: editCount)
        )
      }
      switch machine.state {
      case .current, .stopped: return nil
      case .failed(let error): throw error
      case .idle, .asking, .waiting, .saving, .paused: await nextEvent()
      }
    }
  }

  /// The states of the session, from the present one on. A slow reader skips to the newest. The
  /// stream does not hold the session, and ends with it.
  public nonisolated var states: AsyncStream<ReplicaMachine.State> {
    let (states, reader) = AsyncStream.makeStream(
      of: ReplicaMachine.State.self, bufferingPolicy: .bufferingNewest(1))
    Task { [weak self] in await self?.add(reader) ?? reader.finish() }
    return states
  }

  /// The state of the edits.
  public var editState: EditState { editing.state }

  /// The states of the edits, from the present one on, like ``states``.
  public nonisolated var editStates: AsyncStream<EditState> {
    let (states, reader) = AsyncStream.makeStream(
      of: EditState.self, bufferingPolicy: .bufferingNewest(1))
    Task { [weak self] in await self?.add(reader) ?? reader.finish() }
    return states
  }

  private func add(_ reader: AsyncStream<EditState>.Continuation) {
    if case .terminated = reader.yield(editing.state) { return }
    editReaders.append(reader)
  }

  func yieldEditState() {
    let state = editing.state
    editReaders.removeAll { if case .terminated = $0.yield(state) { true } else { false } }
  }

  private func add(_ reader: AsyncStream<ReplicaMachine.State>.Continuation) {
    if yieldState(reader) { readers.append(reader) }
  }

  /// Tells a reader the present state.
  ///
  /// - Returns: whether the reader waits for the next one.
  private func yieldState(_ reader: AsyncStream<ReplicaMachine.State>.Continuation) -> Bool {
    if case .terminated = reader.yield(machine.state) { return false }
    guard case .stopped = machine.state else { return true }
    reader.finish()
    return false
  }
}

/// The list that a reader was shown: a copy with edits, and the number of steps and edits of the
/// session at that time.
struct ShownCopy: Sendable {
  let copy: ListCopy
  let stepCount: Int
  /// From the copy to the shown list; nil for the copy itself.
  var edits: ChangeSet<Item>?
  var editCount = 0

  func isOf(_ recent: RecentSteps, _ editCount: Int) -> Bool {
    copy.cursor == recent.copy.cursor && stepCount == recent.stepCount
      && self.editCount == editCount
  }

  /// The changes from the shown list to the one after a step of the copy.
  ///
  /// - Parameter edits: those after the step.
  func changes(by step: ReplicaStep, edits: ChangeSet<Item>?) throws -> ChangeSet<Item> {
    let parts = [self.edits?.inverted(), step.changes, edits].compactMap(\.self)
    let changes = ChangeSet.composing(parts) ?? step.changes
    return try changes.named(in: list)
  }

  /// The shown list.
  private var list: CopiedList {
    get throws { try edits.map(copy.list.applying) ?? copy.list }
  }

  /// The shown items.
  var items: [Item] {
    get throws {
      let items = try copy.list.items()
      return try edits.map(items.applying) ?? items
    }
  }
}
