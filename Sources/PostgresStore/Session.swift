import Dispatch
import ListStore
import Synchronization

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
final class SessionPool: Sendable {
  /// As many as callers that the semaphore admits.
  private let idle: Mutex<[Session]>
  private let semaphore: AsyncSemaphore

  init(_ sessions: [Session]) {
    idle = Mutex(sessions)
    semaphore = AsyncSemaphore(count: sessions.count)
  }

  /// Runs a body with a session of its own. Waits until a session is free.
  ///
  /// - Throws: `CancellationError` if the task is cancelled while it waits; what the body throws.
  func with<Result>(_ body: (Session) async throws -> Result) async throws -> Result {
    try await semaphore.run { try await use(body) }
  }

  /// Runs a body with a session of its own if one is free now; otherwise does nothing.
  func withFree(_ body: (Session) async throws -> Void) async throws {
    _ = try await semaphore.runIfFree { try await use(body) }
  }

  private func use<Result>(_ body: (Session) async throws -> Result) async throws -> Result {
    let session = idle.withLock { $0.removeLast() }
    defer { idle.withLock { $0.append(session) } }
    return try await body(session)
  }
}
