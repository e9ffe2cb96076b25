import Foundation
import ListModel
import ListStore
import Migrations

/// A store in a PostgreSQL database, for processes on any number of machines.
///
/// A list has one writer at a time, by a lock on the list's row. Writers of different lists do not
/// wait for each other. Readers see one committed state, and wait for no writer.
public final class PostgresStore: Engine {
  /// The default time that a writer waits for another writer of its list.
  public static let busyTimeoutSeconds: TimeInterval = 10
  /// The default name of the schema that holds the tables.
  public static let standardSchema = "listsync"
  /// The largest number of readers, and of writers, that run at once.
  private static let sessionCount = 4

  /// The address without its password, followed by the schema if it is not the standard one.
  let name: String
  /// The name of the schema, quoted.
  private let schema: String
  private let busyTimeoutSeconds: TimeInterval
  private let readers: SessionPool
  private let writers: SessionPool
  private let marks: SessionPool
  private let counter = ConnectionCounter()
  private let memory = ListKeyMemory()
  private let buckets: Buckets

  /// The number of times that the store waited for an answer of the server: its cost across a
  /// network.
  package var roundTripCount: Int { counter.roundTripCount }

  /// The number of statements that were prepared, on all connections together.
  package var preparationCount: Int { counter.preparationCount }

  /// The largest number of rows of an answer that were in memory at once.
  package var largestResultRowCount: Int { counter.largestResultRowCount }

  /// Opens the store at an address, such as `postgresql://store@db1,db2/listsync`.
  ///
  /// - Parameters:
  ///   - text: the address, as libpq reads it.
  ///   - schema: the database's schema that holds the tables.
  ///   - isCreated: whether a missing store is created.
  ///   - busyTimeoutSeconds: how long a writer waits for another writer of its list.
  /// - Throws: one of the errors of `StoreError` listed under "When it is opened"; `.notPermitted`.
  public convenience init(
    address text: String, schema: String = PostgresStore.standardSchema,
    createsMissing isCreated: Bool,
    busyTimeoutSeconds: TimeInterval = PostgresStore.busyTimeoutSeconds
  ) throws {
    try self.init(
      address: text, schema: schema, createsMissing: isCreated,
      busyTimeoutSeconds: busyTimeoutSeconds, migrations: Migrations.postgreSQL)
  }

  /// - Parameter migrations: the released migrations; tests add those of a later version.
  package init(
    address text: String, schema: String = PostgresStore.standardSchema,
    createsMissing isCreated: Bool,
    busyTimeoutSeconds: TimeInterval = PostgresStore.busyTimeoutSeconds,
    migrations: [Migrations.Migration]
  ) throws {
    let address = PostgresAddress(text)
    if let fault = Self.fault(ofSchema: schema) {
      throw StoreError.cannotOpen(store: address.name, reason: fault)
    }
    let name = address.name + (schema == Self.standardSchema ? "" : " (schema \(schema))")
    self.name = name
    self.schema = "\"\(schema.replacing("\"", with: "\"\""))\""
    self.busyTimeoutSeconds = busyTimeoutSeconds
    if let fault = address.fault {
      throw StoreError.unreachable(store: name, reason: fault, remedy: Self.form)
    }
    let support = PreparedStatements.Support()
    let open: @Sendable () throws -> sending Connection = { [counter] in
      try Connection(address, LibPQ.loaded.get(), counter, preparing: support)
    }
    let openReader: @Sendable () throws -> sending Connection = { [counter] in
      let connection = try open()
      counter.addReader()
      return connection
    }
    do {
      let first = try openReader()
      let schema = Schema(name: self.schema, store: name, migrations: migrations)
      try schema.open(on: first, createsMissing: isCreated)
      buckets = try schema.buckets(on: first)
      let others = (1..<Self.sessionCount).map { _ in Session(open: openReader) }
      readers = SessionPool(others + [Session(first, open: openReader)])
    } catch let error as LibPQ.Missing {
      throw StoreError.unreachable(
        store: name, reason: error.reason, remedy: "Install it: Debian's package is libpq5.")
    } catch let error as ServerError {
      throw StoreError(error, store: name)
    }
    writers = SessionPool((0..<Self.sessionCount).map { _ in Session(open: open) })
    marks = SessionPool([Session(open: open)])
  }

  /// Returns the reason why a schema cannot have a name; nil if it can. The server would shorten a
  /// name of more than 63 bytes, and the store would not be found again under its whole name.
  public static func fault(ofSchema name: String) -> String? {
    let byteCount = name.utf8.count
    if name.utf8.contains(0) { return "the name of a schema cannot hold U+0000" }
    if (1...63).contains(byteCount) { return nil }
    return byteCount == 0
      ? "the name of the schema is empty"
      : "the name of a schema has at most 63 bytes; this one has \(byteCount)"
  }

  private static let form = "An address is postgresql://USER@HOST:PORT/DATABASE."

  /// Returns whether a store's name is the address of a server, and not the path of a file.
  public static func isAddress(_ name: String) -> Bool {
    ["postgresql://", "postgres://"].contains { name.hasPrefix($0) }
  }

  /// Returns an address, in either form of libpq, without its password.
  public static func withoutPassword(_ address: String) -> String {
    PostgresAddress.withoutPassword(address)
  }

  /// Returns whether an address has a password, which other users of the machine could see in the
  /// list of processes.
  public static func hasPassword(_ address: String) -> Bool {
    isAddress(address) && withoutPassword(address) != address
  }

  /// The advice for a user who gives an address with a password as an argument.
  public static let passwordAdvice = """
    others can see a password in the list of processes: write it in ~/.pgpass, or in the \
    environment as PGPASSWORD or in LISTSYNC_STORE
    """

  public func readRows<Result: Sendable>(
    _ body: @Sendable (any EngineReader) throws -> Result
  ) async throws -> Result {
    try await retrying(after: [\.isLostConnection, \.isConflict]) {
      try await readers.with { session in
        try await session.perform { [self] connection in
          connection.queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
          if buckets.isDistributed { connection.queue(Self.oneStateOfEachMachine) }
          defer { connection.endReading() }
          return try body(transaction(on: connection))
        }
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

  /// Runs a body that may write. Runs it again after a conflict with another transaction, or if the
  /// connection was lost before the first answer. If the connection was lost during COMMIT, finds
  /// out whether the transaction was kept.
  public func writeRows<Result: Sendable>(
    _ body: @Sendable (any EngineWriter) throws -> Result
  ) async throws -> Result {
    try await retrying(after: [\.isBeforeFirstAnswer, \.isConflict]) {
      try await writers.with { session in
        let outcome = try await session.perform { [self] connection in
          try write(on: connection, waiting: busyTimeoutSeconds, body)
        }
        switch outcome {
        case .kept(let result): return result
        case .unknown(let result, let proof, var error):
          guard let wasKept = try? await wasKept(proof, in: session) else { throw error }
          if wasKept { return result }
          // The transaction was not kept, so it may run again.
          (error.isBeforeFirstAnswer, error.isAfterCommit) = (true, false)
          throw error
        }
      }
    }
  }

  /// The outcome of a transaction.
  private enum Outcome<Result: Sendable>: Sendable {
    case kept(Result)
    /// COMMIT failed, and the server may have carried it out. Then the row is in the store.
    case unknown(Result, proof: StoredRow, ServerError)
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
        return .unknown(result, proof: proof, error)
      }
      return .kept(result)
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

  /// Finds out whether a transaction was kept, from the server that now answers at the address.
  ///
  /// - Parameter proof: a version that the transaction inserted.
  /// - Throws: the error of a lost connection if no server answers in time, or that of a lock if
  ///   the transaction does not end in time.
  private func wasKept(_ proof: StoredRow, in session: Session) async throws -> Bool {
    try await Self.trying(10, after: [\.isLostConnection]) {
      try await session.perform { [self] connection in
        begin(on: connection, waiting: busyTimeoutSeconds)
        defer { connection.endReading() }
        return try transaction(on: connection).wasKept(proof)
      }
    }
  }

  public func writeRowsIfFree(_ body: @Sendable (any EngineWriter) throws -> Void) async {
    // Don't wait, and drop errors: derived data can be stored later.
    try? await writers.withFree { session in
      try await session.perform { [self] connection in
        _ = try write(on: connection, waiting: 0, body)
      }
    }
  }

  /// Returns a mark that is the number of transactions that have written.
  public func stateMark() async throws -> StateMark {
    try await retrying(after: [\.isLostConnection]) {
      try await marks.with { session in
        try await session.perform { [self] connection in
          StateMark(Int(try transaction(on: connection).commitCount()))
        }
      }
    }
  }

  /// The time between two queries of the mark. In a distributed store, such a query becomes one for
  /// each shard, so the time grows with the number of shards: about ten of these are sent per
  /// second.
  public var pollingInterval: Duration {
    max(.milliseconds(50), .milliseconds(100) * buckets.all.count)
  }

  private static let attemptCount = 4

  private func retrying<Result>(
    after errors: [KeyPath<ServerError, Bool>], _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await Self.trying(Self.attemptCount, after: errors) {
        if !buckets.isDistributed { return try await body() }
        return try await believing(body)
      }
    } catch let error as ServerError {
      throw StoreError(error, store: name)
    }
  }

  /// Runs a body, and runs it again while the data that it reads looks damaged; gives up after some
  /// attempts. In a distributed store, such damage may be only apparent, since machines have no
  /// common state. The directory may name a list that a machine does not have yet, or no longer
  /// has, and a list may move to another machine between two statements.
  private func believing<Result>(_ body: () async throws -> Result) async throws -> Result {
    for _ in 1..<Self.attemptCount {
      do {
        return try await body()
      } catch let error as any DamageError where error.saysDamage {
        try await Task.sleep(for: .milliseconds(.random(in: 10...50)))
      }
    }
    return try await body()
  }

  /// Runs a body up to `count` times, as long as it throws one of some errors. Each pause is longer
  /// than the one before.
  private static func trying<Result>(
    _ count: Int, after errors: [KeyPath<ServerError, Bool>], _ body: () async throws -> Result
  ) async throws -> Result {
    var pause = Duration.milliseconds(20)
    for _ in 1..<count {
      do {
        return try await body()
      } catch let error as ServerError where errors.contains(where: { error[keyPath: $0] }) {
        // Two transactions in conflict should not start again at the same time.
        try await Task.sleep(for: pause * Double.random(in: 0.5...1))
        pause *= 2
      }
    }
    return try await body()
  }
}
