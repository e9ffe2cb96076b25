import GRDBSQLite

/// The operation on a folder's files that fails, and the way it fails.
public struct FaultPlan: Sendable {
  /// The operations that are counted.
  private let operations: Set<FileOperation>
  /// The number of the first failing operation, from 1.
  private let number: Int
  /// Operations that also fail after the first failure.
  private let later: Set<FileOperation>
  private let codes: [FileOperation: CInt]
  private let isShort: Bool

  private var count = 0
  /// The number of failed operations.
  public private(set) var failureCount = 0

  private init(
    at number: Int, of operations: Set<FileOperation>, thenFailing later: Set<FileOperation> = [],
    codes: [FileOperation: CInt] = [:], isShort: Bool = false
  ) {
    self.number = number
    self.operations = operations
    self.later = later
    self.codes = codes
    self.isShort = isShort
  }

  /// One operation fails, without any effect.
  public static func error(
    at number: Int, of operations: Set<FileOperation> = .changing
  ) -> FaultPlan {
    FaultPlan(at: number, of: operations)
  }

  /// One write fails after half of its bytes.
  public static func shortWrite(at number: Int) -> FaultPlan {
    FaultPlan(at: number, of: [.write], isShort: true)
  }

  /// Every operation from this one on fails, as if the process were dead.
  public static func suddenEnd(at number: Int) -> FaultPlan {
    FaultPlan(at: number, of: .changing, thenFailing: .all)
  }

  /// From one write on there is no room for further writes and shared memory.
  public static func diskFull(at number: Int) -> FaultPlan {
    let growing: Set<FileOperation> = [.write, .growSharedMemory]
    return FaultPlan(
      at: number, of: growing, thenFailing: growing, codes: [.write: SQLITE_FULL])
  }

  struct Fault {
    let code: CInt
    let isShort: Bool
  }

  /// The fault of the next operation; nil if it succeeds.
  mutating func fault(of operation: FileOperation) -> Fault? {
    let hasBegun = failureCount > 0
    if operations.contains(operation), !hasBegun { count += 1 }
    let fails =
      hasBegun ? later.contains(operation) : operations.contains(operation) && count == number
    guard fails else { return nil }
    failureCount += 1
    return Fault(code: codes[operation] ?? operation.failureCode, isShort: isShort)
  }
}
