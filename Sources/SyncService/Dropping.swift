import ListModel
import ListStore

/// A request to drop or rename a list.
public struct DepartureRequest: Sendable {
  public let list: ListName
  /// As in ``CommitRequest/expected``.
  public var expected: [Revision] = []
  /// The author, for the record.
  public var author: String?
  /// Nil for the service's clock.
  public var time: Timestamp?

  public init(list: ListName) { self.list = list }
}

extension SyncService {
  /// Deletes a list with all its versions. The record of it stays: whoever names the list is told
  /// that it is gone, and its name begins no second history unless a commit says so.
  ///
  /// - Throws: `ServiceError.noSuchList`, `.gone`, `.expectationFailed`; `StoreError`. The store is
  ///   then unchanged.
  /// - Complexity: O(r) rows deleted for the r rows of the list.
  public func drop(_ request: DepartureRequest) async throws -> RetiredList {
    let time = request.time ?? now()
    return try await store.write { writer in
      let (list, record) = try writer.departure(request, at: time)
      try writer.drop(list.key, record)
      return record
    }
  }

  /// Gives a list another name; its versions and cursors stay the same. The record of the old name
  /// stays, as after ``drop(_:)``.
  ///
  /// A list may get back a name that it had, also when it was pruned or has no versions.
  ///
  /// - Throws: as ``drop(_:)``; `ServiceError.nameTaken` when a list of the new name exists;
  ///   `.gone` when another list had it.
  public func rename(_ request: DepartureRequest, to newName: ListName) async throws -> RetiredList
  {
    let time = request.time ?? now()
    return try await store.write { writer in
      let (list, record) = try writer.departure(request, to: newName, at: time)
      guard try writer.lockedList(newName) == nil else { throw ServiceError.nameTaken(newName) }
      do {
        try writer.checkIsNew(newName)
      } catch ServiceError.gone(let former) {
        guard try writer.isHistory(of: list, endingWith: former) else {
          throw ServiceError.gone(former)
        }
      }
      try writer.rename(list.key, record)
      return record
    }
  }

  /// The lists that were dropped or renamed, oldest first.
  public func retiredLists() async throws -> [RetiredList] {
    try await store.read { try $0.retiredLists() }
  }
}

extension ListWriter {
  fileprivate func departure(
    _ request: DepartureRequest, to newName: ListName? = nil, at time: Timestamp
  ) throws -> (ListRecord, RetiredList) {
    let list = try existingLockedList(request.list)
    let head = list.head > .zero ? try record(of: list.head, in: list) : nil
    let cursor = head?.cursor ?? .zero
    try request.expected.check(cursor, of: list.name)
    return (
      list,
      RetiredList(
        name: list.name, version: list.head, chain: head?.chain ?? .zero, leftAt: time,
        author: request.author, newName: newName)
    )
  }

  /// Whether a list has the version with which a name was left, or is the list that left it.
  ///
  /// The former holds for a list that came back from a bundle, the latter for one that was pruned.
  fileprivate func isHistory(
    of list: ListRecord, endingWith former: RetiredList
  ) throws -> Bool {
    if former.version >= list.oldest, former.version <= list.head,
      try record(of: former.version, in: list).chain == former.chain
    {
      return true
    }
    return try presentName(ofListThatLeft: former.name) == list.name
  }

  /// The present name of the list that last left a name; nil if it was dropped.
  ///
  /// Each list that leaves a name is recorded, so the names lead from record to record. A list that
  /// took one of them later left no record before.
  ///
  /// - Complexity: O(records).
  private func presentName(ofListThatLeft name: ListName) throws -> ListName? {
    let records = try retiredLists()
    guard let start = records.lastIndex(where: { $0.name == name }) else { return nil }
    return records[start...].reduce(name) { $1.name == $0 ? $1.newName : $0 }
  }
}
