import Foundation
import ListStore

/// The transactions of a store on a server, each run once. Its errors are those of the server;
/// ``PostgresStore`` runs a transaction again after a temporary one.
struct PostgresEngine: Sendable {
  /// The largest number of readers, and of writers, that run at once.
  private static let sessionCount = 4

  let buckets: Buckets
  /// The name of the schema, quoted.
  private let schema: String
  private let busyTimeoutSeconds: TimeInterval
  private let readers: SessionPool
  private let writers: SessionPool
  private let marks: SessionPool
  private let memory = ListKeyMemory()

  /// Opens the store, or creates it.
  ///
  /// - Throws: `LibPQ.Missing`, `ServerError`, and as ``PostgresSchema/open(on:createsMissing:)``.
  init(
    _ address: PostgresAddress, _ schema: PostgresSchema, createsMissing isCreated: Bool,
    busyTimeoutSeconds: TimeInterval, _ counter: ConnectionCounter
  ) throws {
    (self.schema, self.busyTimeoutSeconds) = (schema.name, busyTimeoutSeconds)
    let support = PreparedStatements.Support()
    let open: @Sendable () throws -> sending Connection = {
      try Connection(address, LibPQ.loaded.get(), counter, preparing: support)
    }
    let openReader: @Sendable () throws -> sending Connection = {
      let connection = try open()
      counter.addReader()
      return connection
    }
    let first = try openReader()
    try schema.open(on: first, createsMissing: isCreated)
    buckets = try schema.buckets(on: first)
    let others = (1..<Self.sessionCount).map { _ in Session(open: openReader) }
    readers = SessionPool(others + [Session(first, open: openReader)])
    writers = SessionPool((0..<Self.sessionCount).map { _ in Session(open: open) })
    marks = SessionPool([Session(open: open)])
  }

  func read<Result: Sendable>(
    _ body: @Sendable (any EngineReader) throws -> Result
  ) async throws -> Result {
    try await readers.with { session in
      try await session.perform { [self] connection in
        connection.queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        if buckets.isDistributed { connection.queue(Self.oneStateOfEachMachine) }
        defer { connection.endReading() }
        return try body(transaction(on: connection))
      }
    }
  }

  /// A setting by which a machine answers all statements of a transaction over one connection, and
  /// so from one state. Each list is on one machine.
  private static let oneStateOfEachMachine = "SET LOCAL citus.max_adaptive_executor_pool_size = 1"

  private func transaction(on connection: Connection) -> PostgresTransaction {
    connection.hasWritten = false
    return PostgresTransaction(connection, schema: schema, memory, buckets)
  }

  func commitCount() async throws -> Int64 {
    try await marks.with { session in
      try await session.perform { [self] in try transaction(on: $0).commitCount() }
    }
  }

  /// Runs a body that may write. If the connection was lost during COMMIT, finds out whether the
  /// transaction was committed, and runs it again if not.
  ///
  /// The server may also begin with a lost transaction later than with the question about it, which
  /// then finds nothing. Of this transaction and the one that runs again, one fails, since both
  /// replace the same row of the list. If it is the second one, the question is asked again.
  func write<Result: Sendable>(
    _ body: @Sendable (any EngineWriter) throws -> Result
  ) async throws -> Result {
    try await writers.with { session in
      var lost: [LostCommit<Result>] = []
      for _ in 1...Self.attemptCount {
        var failure: any Error
        do {
          let outcome = try await session.perform { [self] connection in
            try write(on: connection, waiting: busyTimeoutSeconds, body)
          }
          switch outcome {
          case .committed(let result): return result
          case .unknown(let commit):
            lost.append(commit)
            failure = commit.error
          }
        } catch {
          failure = error
        }
        guard let last = lost.last else { throw failure }
        for commit in lost {
          guard let wasCommitted = try? await wasCommitted(commit.proof, in: session) else {
            throw last.error
          }
          if wasCommitted { return commit.result }
        }
        // The server has ended a transaction whose error it reported. If the list has changed, the
        // server refuses what it may not have begun with yet.
        guard var error = failure as? ServerError else { throw failure }
        lost.removeAll { !$0.error.isLostConnection }
        error.isAfterCommit = false
        // Nothing is left of the transaction, which may run again: a coordinator may have lost the
        // other machine.
        error.isBeforeFirstAnswer = lost.isEmpty
        if lost.isEmpty || error.isOfOtherHead { throw error }
      }
      throw lost.last!.error
    }
  }

  private static let attemptCount = 4

  /// Runs a body that may write if no writer waits, and no lock has to be waited for.
  func writeIfFree(_ body: @Sendable (any EngineWriter) throws -> Void) async throws {
    try await writers.withFree { session in
      try await session.perform { [self] connection in
        _ = try write(on: connection, waiting: 0, body)
      }
    }
  }

  private enum Outcome<Result: Sendable>: Sendable {
    case committed(Result)
    case unknown(LostCommit<Result>)
  }

  /// A transaction whose COMMIT failed, and which the server may have carried out. Then the row
  /// ``proof`` is in the store.
  private struct LostCommit<Result: Sendable>: Sendable {
    let result: Result
    let proof: StoredRow
    let error: ServerError
  }

  private func write<Result: Sendable>(
    on connection: Connection, waiting seconds: TimeInterval,
    _ body: @Sendable (any EngineWriter) throws -> Result
  ) throws -> Outcome<Result> {
    begin(on: connection, waiting: seconds)
    // A commit survives a power cut, whatever the database's default is.
    connection.queue(
      """
      SELECT CASE current_setting('synchronous_commit')
        WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END
      """)
    let answerCount = connection.answerCount
    let transaction = transaction(on: connection)
    do {
      let result = try body(transaction)
      try transaction.finish()
      do {
        try connection.query("COMMIT")
      } catch var error as ServerError
        where (error.isLostConnection || error.isOfLastStatement) && connection.hasWritten
      {
        // A coordinator also reports an error of COMMIT if it lost the other machine, which may
        // have committed.
        error.isAfterCommit = true
        guard let proof = transaction.proof else { throw error }
        return .unknown(LostCommit(result: result, proof: proof, error: error))
      }
      return .committed(result)
    } catch {
      // Also needed if a queued statement failed.
      try? connection.run("ROLLBACK")
      guard var error = error as? ServerError else { throw error }
      error.isBeforeFirstAnswer =
        error.isLostConnection && !error.isAfterCommit && connection.answerCount == answerCount
      throw error
    }
  }

  /// Begins a transaction, each statement of which waits for a lock no longer than the time.
  private func begin(on connection: Connection, waiting seconds: TimeInterval) {
    connection.queue("BEGIN")
    if buckets.isDistributed {
      // Makes the coordinator pass the time-out on to the other machines.
      connection.queue("SET LOCAL citus.propagate_set_commands = 'local'")
    }
    connection.queue("SET LOCAL lock_timeout = \(max(1, Int(seconds * 1000)))")
  }

  /// Finds out whether a transaction was committed, from the server that answers now.
  ///
  /// - Parameter proof: a version that the transaction inserted.
  /// - Throws: the error of a lost connection if no server answers in time, or that of a lock if
  ///   the transaction does not end in time.
  private func wasCommitted(_ proof: StoredRow, in session: Session) async throws -> Bool {
    try await repeating(10) {
      ($0 as? ServerError)?.isLostConnection ?? false
    } body: {
      try await session.perform { [self] connection in
        begin(on: connection, waiting: busyTimeoutSeconds)
        defer { connection.endReading() }
        return try transaction(on: connection).wasCommitted(proof)
      }
    }
  }
}
