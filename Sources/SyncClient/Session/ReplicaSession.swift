import Foundation
import ListModel

/// A replica of a list at work: runs a ``ReplicaMachine`` over a transport and a storage.
///
/// It goes on until it is stopped or let go of, through lost networks and restarted servers. Items
/// are what the server has; ``Replica`` decodes them.
public actor ReplicaSession {
  private let transport: any ReplicaTransport
  private let storage: any ReplicaStorage
  private let clock: ReplicaClock
  private let limits: Limits
  private var machine: ReplicaMachine
  private var log = StepLog(.empty)
  /// What is under way, by the machine's numbers.
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var waiters = Waiters()
  private var isLoading = false

  /// - Parameter limits: what the list, its items and ids may be.
  public init(
    _ options: ReplicaMachine.Options, transport: any ReplicaTransport,
    storage: any ReplicaStorage, clock: ReplicaClock = .system, limits: Limits = .standard
  ) {
    machine = ReplicaMachine(options)
    self.transport = transport
    self.storage = storage
    self.clock = clock
    self.limits = limits
  }

  deinit { for task in tasks.values { task.cancel() } }

  public var state: ReplicaMachine.State { machine.state }

  /// What was verified and saved last.
  public var copy: ListCopy { log.copy }

  /// Reads what was saved, and begins. Does nothing when it has begun.
  ///
  /// - Returns: what was saved, or is by now where it had begun.
  /// - Throws: `ReplicaError` of those grouped under opening a file; it may then be called again.
  @discardableResult
  public func start() async throws(ReplicaError) -> ListCopy {
    guard case .idle = machine.state, !isLoading else { return copy }
    isLoading = true
    defer { isLoading = false }
    let saved = try await storage.load()
    guard case .idle = machine.state else { return copy }
    log = StepLog(saved)
    tell(.start(saved))
    return saved
  }

  /// Ends requests and asks for nothing until it is resumed, as when an app goes to the background.
  public func pause() { tell(.pause) }

  /// Goes on after a pause or a failure; while it waits to try again, tries at once; where it does
  /// not watch, asks whether there is anything new.
  public func resume() { tell(.resume) }

  /// Ends it for good. A save that is under way is ended first: ``settle()`` waits for it.
  public func stop() { tell(.stop) }

  /// Waits until it has caught up and does not watch, or was stopped.
  ///
  /// - Throws: the `ReplicaError` with which it ended; `CancellationError`.
  public func settle() async throws {
    while true {
      try Task.checkCancellation()
      switch machine.state {
      case .current, .stopped: return
      case .failed(let error): throw error
      case .idle, .asking, .waiting, .saving, .paused: await nextEvent()
      }
    }
  }

  private func tell(_ event: ReplicaMachine.Event) {
    for effect in machine.handle(event) { perform(effect) }
    waiters.wakeAll()
  }

  private func perform(_ effect: ReplicaMachine.Effect) {
    switch effect {
    case .send(let request): send(request)
    case .cancel(let number), .cancelTimer(let number):
      tasks.removeValue(forKey: number)?.cancel()
    case .setTimer(let number, let seconds): setTimer(number, seconds)
    case .save(let number, let step): save(number, step)
    case .show(let step): log.append(step)
    }
  }

  private func finish(_ number: Int, _ event: ReplicaMachine.Event) {
    tasks[number] = nil
    tell(event)
  }

  // The tasks hold the session weakly while they wait, so that one that is let go of ends.

  private func send(_ request: ReplicaRequest) {
    let (transport, clock, limits) = (transport, clock, limits)
    tasks[request.number] = Task { [weak self] in
      let start = clock.now()
      let answer = await Self.answer(to: request, transport, limits)
      let moment = ReplicaMachine.Moment(
        elapsedSeconds: clock.now() - start, random: clock.random())
      await self?.finish(request.number, .answered(request.number, answer, moment))
    }
  }

  private static func answer(
    to request: ReplicaRequest, _ transport: any ReplicaTransport, _ limits: Limits
  ) async -> ReplicaAnswer {
    do {
      return ReplicaAnswer(try await transport.send(request), to: request, limits: limits)
    } catch let error as ReplicaError {
      return .refused(error)
    } catch let cause as Unavailability {
      return .unavailable(cause)
    } catch {
      return .unavailable(.network(reason: error.localizedDescription))
    }
  }

  private func setTimer(_ number: Int, _ seconds: Double) {
    let clock = clock
    tasks[number] = Task { [weak self] in
      // Cancelled is over too; the machine then knows the number no more.
      try? await clock.sleep(seconds)
      await self?.finish(number, .timerFired(number))
    }
  }

  private func save(_ number: Int, _ step: ReplicaStep) {
    let storage = storage
    tasks[number] = Task { [weak self] in
      do throws(ReplicaError) {
        try await storage.save(step)
        await self?.finish(number, .saved(number))
      } catch {
        await self?.finish(number, .saveFailed(number, error))
      }
    }
  }
}

extension ReplicaSession {
  /// Waits until something happens, or the task is cancelled.
  private func nextEvent() async {
    let number = waiters.newNumber()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled {
          continuation.resume()
        } else {
          waiters.add(number, continuation)
        }
      }
    } onCancel: {
      Task { await self.wake(number) }
    }
  }

  private func wake(_ number: Int) { waiters.wake(number) }

  /// The way from what was shown to the present copy, as soon as they differ; nil when it has
  /// ended.
  ///
  /// - Parameter shown: nil where nothing was.
  /// - Throws: the `ReplicaError` with which it ended; `CancellationError`.
  func nextStep(after shown: ShownCopy) async throws -> (step: ReplicaStep, shown: ShownCopy)? {
    while true {
      try Task.checkCancellation()
      if log.copy.cursor != shown.copy.cursor || log.stepCount != shown.stepCount {
        let step = log.step(from: shown.copy, after: shown.stepCount)
        return (step, ShownCopy(copy: log.copy, stepCount: log.stepCount))
      }
      switch machine.state {
      case .current, .stopped: return nil
      case .failed(let error): throw error
      case .idle, .asking, .waiting, .saving, .paused: await nextEvent()
      }
    }
  }

  /// States as they come; whoever is slow gets the newest.
  public nonisolated var states: AsyncStream<ReplicaMachine.State> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task { [weak self] in
        var last: ReplicaMachine.State?
        while !Task.isCancelled, let self {
          let state = await self.state
          if state != last { continuation.yield(state) }
          last = state
          if case .stopped = state { break }
          await self.nextEvent()
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}

/// A copy that somebody was shown, and after how many steps of the session it was current.
struct ShownCopy: Sendable {
  static let nothing = ShownCopy(copy: .empty, stepCount: 0)

  let copy: ListCopy
  let stepCount: Int
}
