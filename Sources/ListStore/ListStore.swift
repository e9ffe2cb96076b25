import ListModel

/// Keeps lists and all their versions. Decisions about the data are made by the callers, inside its
/// transactions. SQLite and PostgreSQL are its engines.
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

  /// Runs a body that may write, while no other body writes. When this returns, all writes are on
  /// the disk; when it throws, none is kept.
  ///
  /// - Throws: errors of the body; `StoreError` when the store fails.
  func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result

  /// Runs a body that stores derived data, if no other writer is active and the store can be
  /// written. Otherwise does nothing.
  func writeIfFree(_ body: @Sendable (ListWriter) throws -> Void) async

  /// A mark of the store's state, which differs after each commit by this process or another.
  ///
  /// - Throws: `StoreError` when the store fails.
  /// - Complexity: reads no table.
  func stateMark() async throws -> StateMark

  /// How long a server waits between two queries of the mark.
  var pollingInterval: Duration { get }
}

extension ListStore {
  /// As it is where a query costs one round trip at most.
  public var pollingInterval: Duration { .milliseconds(50) }
}

/// Identifies a state of a store: two equal marks of one store prove that nobody committed between
/// them. Marks of different stores must not be compared.
public struct StateMark: Equatable, Sendable {
  private let number: Int

  public init(_ number: Int) { self.number = number }
}

/// A stored row that breaks a structural rule; the version is nil if the fault concerns no single
/// one.
public typealias RowFault = (version: Version?, reason: String)
