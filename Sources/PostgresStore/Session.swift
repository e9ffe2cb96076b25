import Dispatch
import ListStore

/// A connection with a queue of its own, on which blocking calls run. The connection is opened when
/// it is first used, and again after it was lost.
actor Session {
  private let open: @Sendable () throws -> sending Connection
  private var connection: Connection?
  private let executor = QueueExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(
    _ connection: sending Connection? = nil,
    open: @escaping @Sendable () throws -> sending Connection
  ) {
    (self.open, self.connection) = (open, connection)
  }

  /// Runs a body on the connection, and closes the connection if it has failed.
  func perform<Result: Sendable>(_ body: @Sendable (Connection) throws -> Result) throws -> Result {
    if connection?.isStillOpen == false { connection = nil }
    let connection = try connection ?? open()
    self.connection = connection
    defer { if !connection.isOpen { self.connection = nil } }
    return try body(connection)
  }
}

private final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "listsync.postgresql")

  func enqueue(_ job: UnownedJob) {
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// A fixed number of sessions, each of which has one caller at a time. Further callers wait.
actor SessionPool {
  private var idle: [Session]
  private var waiters: [CheckedContinuation<Session, Never>] = []

  init(_ sessions: [Session]) { idle = sessions }

  /// Runs a body with a session of its own. Waits until a session is free.
  nonisolated func with<Result: Sendable>(
    _ body: (Session) async throws -> Result
  ) async throws -> Result {
    try await Self.run(body, with: await take(), of: self)
  }

  /// Runs a body with a session of its own if one is free now; otherwise does nothing.
  nonisolated func withFree(_ body: (Session) async throws -> Void) async throws {
    guard let session = await takeFree() else { return }
    try await Self.run(body, with: session, of: self)
  }

  private static func run<Result: Sendable>(
    _ body: (Session) async throws -> Result, with session: Session, of pool: SessionPool
  ) async throws -> Result {
    do {
      let result = try await body(session)
      await pool.giveBack(session)
      return result
    } catch {
      await pool.giveBack(session)
      throw error
    }
  }

  private func takeFree() -> Session? { idle.popLast() }

  private func take() async -> Session {
    if let session = idle.popLast() { return session }
    return await withCheckedContinuation { waiters.append($0) }
  }

  private func giveBack(_ session: Session) {
    if waiters.isEmpty {
      idle.append(session)
    } else {
      waiters.removeFirst().resume(returning: session)
    }
  }
}
