import ListChanges
import ListModel
import ListStore

extension SyncService {
  /// The changes that a commit would make.
  ///
  /// - Throws: as ``commit(_:onProgress:)`` does.
  public func preview(_ request: CommitRequest) async throws -> Delta {
    try await previewMerge(request).delta
  }

  /// The changes that a commit would make to the head.
  ///
  /// - Returns: the changes; and what each side changed, if the commit would be merged.
  /// - Throws: as ``commit(_:onProgress:)`` does.
  public func previewMerge(
    _ request: CommitRequest
  ) async throws -> (delta: Delta, report: MergeReport?) {
    try check(request.content, of: request.list)
    return try await store.read { reader in
      let list = try reader.list(request.list, for: request.queries)
      let commit = try PlannedCommit(request, of: list, in: reader, by: self)
      let (changes, root) = try commit.changes()
      let delta = Delta(
        list: request.list, from: commit.head,
        to: ListState(cursor: nil, count: changes.newCount, root: root),
        oldest: commit.isNew ? nil : commit.list.oldest, changes: changes)
      return (delta, commit.merge)
    }
  }

  /// The changes that the first commit of a list would make. Needs no store.
  ///
  /// - Throws: as ``checkWithoutStore(_:)`` does; `ServiceError.noSuchList` for edits; `.misfit`
  ///   when changes lead to another state than the request says.
  public static func previewWithoutStore(_ request: CommitRequest) throws -> Delta {
    try checkWithoutStore(request)
    let snapshot: Snapshot
    switch request.content {
    case .whole(let whole): snapshot = whole.snapshot
    case .changes(let changes, _, let to):
      let items = changes.inserted.map(\.item)
      guard let whole = try? Snapshot(items),
        to == nil || request.content.leads(to: ListState(of: whole))
      else {
        let target = to.map { "to the root \($0.root)" } ?? "from the empty list to a list"
        throw ServiceError.misfit(list: request.list, reason: "they do not lead \(target)")
      }
      snapshot = whole
    case .edits, .revert: throw ServiceError.noSuchList(request.list)
    }
    return Delta(
      list: request.list, from: .zero, to: ListState(of: snapshot), oldest: nil,
      changes: Snapshot.empty.changes(to: snapshot))
  }

  /// Checks the expectation of a request where there is no store yet.
  ///
  /// - Throws: `ServiceError.expectationFailed` or `.notTheStart` for another state than version 0.
  public static func checkWithoutStore(_ request: CommitRequest) throws {
    try request.check(.zero)
    try request.checkIsNotSame()
  }
}
