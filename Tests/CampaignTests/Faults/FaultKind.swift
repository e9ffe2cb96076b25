import FaultyFiles

/// A way in which files fail.
enum FaultKind: String, CaseIterable, Sendable {
  case error, shortWrite, readError, suddenEnd

  /// The operations that can fail first.
  var operations: Set<FileOperation> {
    switch self {
    case .error, .suddenEnd: .changing
    case .shortWrite: [.write]
    case .readError: [.read]
    }
  }

  func plan(at number: Int) -> FaultPlan {
    switch self {
    case .error: .error(at: number)
    case .shortWrite: .shortWrite(at: number)
    case .readError: .error(at: number, of: [.read])
    case .suddenEnd: .suddenEnd(at: number)
    }
  }
}
