/// A row of the table: some work, measured against a floor of the same run.
protocol Row {
  static var number: Int { get }
  static var title: String { get }

  init(bench: Workbench)

  /// - Throws: `Skipped` when the row cannot be measured here.
  func findings() async throws -> [Finding]
}

/// Thrown when a row cannot be measured here, with the reason.
struct Skipped: Error {
  let reason: String
}

enum AllRows {
  static var types: [any Row.Type] {
    [
      FirstCommit.self, SmallCommit.self, DeltaCommit.self, SingleDelta.self, LongDelta.self,
      RandomVersion.self, GitImport.self, BytesAVersion.self, RealHistories.self,
      ItemHistory.self, ManyReaders.self, HistoryBytes.self, MergedCommit.self, FollowedList.self,
    ]
  }
}
