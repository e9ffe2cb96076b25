import ListModel

/// A store of lists and all their versions. Its callers make all decisions about the data, inside
/// its transactions. SQLite and PostgreSQL are its engines.
///
/// Everything that a body reads belongs to one state of the store. A body never suspends, so no
/// transaction stays open across an `await`.
public protocol ListStore: Sendable {
  /// Runs a body on one state of the store. Readers do not wait for writers.
  ///
  /// - Throws: errors of the body; `StoreError` when the store fails.
  func read<Result: Sendable>(
    _ body: @Sendable (ListReader) throws -> Result
  ) async throws -> Result

  /// Runs a body that may write. No other body writes to the same lists meanwhile. When this
  /// returns, all writes are on the disk; when it throws, none is kept.
  ///
  /// - Throws: errors of the body; `StoreError` when the store fails.
  func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result

  /// Runs a body that stores derived data, if no other writer is active and the store can be
  /// written. Otherwise does nothing.
  func writeIfFree(_ body: @Sendable (ListWriter) throws -> Void) async

  /// Returns a mark of the store's state, which differs after each commit by this process or
  /// another.
  ///
  /// - Throws: `StoreError` when the store fails.
  /// - Complexity: reads no lists or versions.
  func dataVersion() async throws -> DataVersion

  /// The time that a server waits between two queries of the mark.
  var pollingInterval: Duration { get }

  /// Whether each reading after a commit of this process sees it.
  var readsOwnCommits: Bool { get }

  /// The same store, read where it is written. A reading there sees every commit so far, so make
  /// new data from it.
  var primary: any ListStore { get }
}

extension ListStore {
  /// 50 milliseconds, for a store in which a query of the mark costs at most one round trip.
  public var pollingInterval: Duration { .milliseconds(50) }

  public var readsOwnCommits: Bool { true }

  public var primary: any ListStore { self }
}

/// A mark of a state of a store. Two equal marks of one store prove that nobody committed between
/// them. Marks of different stores must not be compared.
public struct DataVersion: Equatable, Sendable {
  private let number: Int

  public init(_ number: Int) { self.number = number }
}

/// A stored row that breaks a structural rule. The version is nil if the fault does not concern a
/// single version.
public typealias RowFault = (version: Version?, reason: String)
