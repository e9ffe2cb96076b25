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

  /// The address without its password, followed by the schema if it is not the standard one.
  let name: String
  private let engine: PostgresEngine
  private let counter = ConnectionCounter()

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
    if let fault = address.fault {
      throw StoreError.unreachable(store: name, reason: fault, remedy: Self.form)
    }
    let quoted = "\"\(schema.replacing("\"", with: "\"\""))\""
    do {
      engine = try PostgresEngine(
        address, PostgresSchema(name: quoted, store: name, migrations: migrations),
        createsMissing: isCreated, busyTimeoutSeconds: busyTimeoutSeconds, counter)
    } catch let error as LibPQ.Missing {
      throw StoreError.unreachable(
        store: name, reason: error.reason, remedy: "Install it: Debian's package is libpq5.")
    } catch let error as ServerError {
      throw StoreError(error, store: name)
    }
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
}

// MARK: Transactions, which run again after a failure that may be temporary

extension PostgresStore {
  public func readRows<Result: Sendable>(
    _ body: @Sendable (any EngineReader) throws -> Result
  ) async throws -> Result {
    try await retrying(after: \.isTemporaryForReaders) { try await engine.read(body) }
  }

  /// Runs a body that may write. Runs it again after a conflict with another transaction, or if the
  /// connection was lost and nothing was committed.
  public func writeRows<Result: Sendable>(
    _ body: @Sendable (any EngineWriter) throws -> Result
  ) async throws -> Result {
    try await retrying(after: \.isTemporaryForWriters) { try await engine.write(body) }
  }

  public func writeRowsIfFree(_ body: @Sendable (any EngineWriter) throws -> Void) async {
    // Don't wait, and drop errors: derived data can be stored later.
    try? await engine.writeIfFree(body)
  }

  /// Returns a mark that is the number of transactions that have written.
  public func dataVersion() async throws -> DataVersion {
    try await retrying(after: \.isLostConnection) {
      DataVersion(Int(try await engine.commitCount()))
    }
  }

  /// The time between two queries of the mark. In a distributed store, such a query becomes one for
  /// each shard, so the time grows with the number of shards: about ten of these are sent per
  /// second.
  public var pollingInterval: Duration {
    max(.milliseconds(50), .milliseconds(100) * engine.buckets.all.count)
  }

  private static let attemptCount = 4

  private func retrying<Result>(
    after isTemporary: KeyPath<ServerError, Bool>, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await repeating(Self.attemptCount) {
        ($0 as? ServerError)?[keyPath: isTemporary] ?? false
      } body: {
        try await retryingApparentDamage(body)
      }
    } catch let error as ServerError {
      throw StoreError(error, store: name)
    }
  }

  /// In a distributed store, damage may be only apparent, since machines have no common state. The
  /// directory may name a list that a machine does not have yet, or no longer has, and a list may
  /// move to another machine between two statements.
  private func retryingApparentDamage<Result>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    guard engine.buckets.isDistributed else { return try await body() }
    return try await repeating(Self.attemptCount) {
      ($0 as? any DamageError)?.saysDamage ?? false
    } body: {
      try await body()
    }
  }
}

/// Runs a body up to `count` times, as long as it throws a temporary error. Each pause is longer
/// than the one before.
func repeating<Result>(
  _ count: Int, after isTemporary: (any Error) -> Bool, body: () async throws -> Result
) async throws -> Result {
  var pause = Duration.milliseconds(20)
  for _ in 1..<count {
    do {
      return try await body()
    } catch  where isTemporary(error) {
      // Two transactions in conflict should not start again at the same time.
      try await Task.sleep(for: pause * Double.random(in: 0.5...1))
      pause *= 2
    }
  }
  return try await body()
}

extension ServerError {
  fileprivate var isTemporaryForReaders: Bool { isLostConnection || isConflict }
  fileprivate var isTemporaryForWriters: Bool { isBeforeFirstAnswer || isConflict }
}
