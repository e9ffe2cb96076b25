import ListModel

/// Stored rows that no ListSync leaves behind.
public struct RowProblem: Equatable, Sendable {
  /// Nil where no single version is at fault.
  public let version: Version?
  public let reason: String

  package init(version: Version?, reason: String) {
    self.version = version
    self.reason = reason
  }
}
