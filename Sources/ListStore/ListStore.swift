/// Keeps lists and all their versions. Small on purpose: what is decided about data is decided
/// above it, inside its transactions; SQLite is the first implementation.
///
/// All that a body reads belongs to one state of the store. A body never suspends: no transaction
/// is held open across an `await`.
public protocol ListStore: Sendable {
  /// Runs a body on one state of the store. Readers do not wait for writers.
  ///
  /// - Throws: what the body throws; `StoreError` when the store fails.
  func read<Result: Sendable>(
    _ body: @Sendable (any ListReader) throws -> Result
  ) async throws -> Result

  /// Runs a body that may write, alone. All of its writes are kept, on the disk, when this returns;
  /// none when it throws.
  ///
  /// - Throws: what the body throws; `StoreError` when the store fails.
  func write<Result: Sendable>(
    _ body: @Sendable (any ListWriter) throws -> Result
  ) async throws -> Result

  /// Runs a body that keeps what can be made again, where nobody else is writing and the store can
  /// be written; otherwise nothing is done, and nothing is said.
  func writeIfFree(_ body: @Sendable (any ListWriter) throws -> Void) async

  /// A mark of the state that the store is in: another one than before when anybody committed since,
  /// this process or another.
  ///
  /// - Throws: `StoreError` when the store fails.
  /// - Complexity: no table is read.
  func stateMark() async throws -> StateMark
}
