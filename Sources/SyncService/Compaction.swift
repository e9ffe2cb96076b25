import ListModel
import ListStore

/// The result of compacting a list.
public struct CompactOutcome: Equatable, Sendable {
  /// How many segments of the list's log were merged.
  public var mergedCount = 0
}

extension SyncService {
  /// Merges all segments of a list's log into one, which takes the fewest bytes. Versions, roots,
  /// cursors and answers stay as they are.
  ///
  /// Blocks are made while others write, and stored in short transactions. A process that is killed
  /// leaves the old segments or the new one, and perhaps blocks that the next call deletes.
  ///
  /// - Parameter name: the list. If others commit to it meanwhile, the short segments of the newest
  ///   commits may stay.
  /// - Throws: `ServiceError` of looking up; `StoreError`. `StoreError.headMoved` when others
  ///   merged or pruned the list three times meanwhile.
  /// - Complexity: O(c log c) for the c changes of the list.
  public func compact(_ name: ListName) async throws -> CompactOutcome {
    let outcome = try await merge(name) { try $0.merge(of: $0.existingList(name), isBusy: $1) }
    try await deleteUnusedBlocks(of: name)
    try await release(.all)
    return outcome
  }

  /// Deletes what killed processes have left of long first versions. Commits that are storing such
  /// a version at the moment start over.
  ///
  /// - Returns: how many there were.
  @discardableResult
  public func discardUnfinishedLists() async throws -> Int {
    let lists = try await store.primary.read { try $0.unfinishedLists() }
    for list in lists { try await store.write { try $0.discard(list) } }
    if !lists.isEmpty { try await release(.all) }
    return lists.count
  }

  /// Merges the last segments of a list's log if each of them is not much longer than those after
  /// it. Programs call this after commits, or while nobody waits.
  ///
  /// - Parameters:
  ///   - name: the list.
  ///   - moreFollow: whether many versions follow at once, and a call without this after them: then
  ///     fewer bytes are written.
  /// - Throws: as ``compact(_:)``.
  /// - Complexity: O(s) for s segments if nothing is due. Each change is written O(log c) times in
  ///   all. Memory is bounded in bytes, beside a few times the longest text.
  @discardableResult
  public func compactIfDue(
    _ name: ListName, moreFollow: Bool = false
  ) async throws -> CompactOutcome {
    try await merge(name) {
      try $0.dueMerge(of: $0.existingList(name), moreFollow: moreFollow, isBusy: $1)
    }
  }

  /// Merges segments. Starts over when others have replaced some meanwhile.
  ///
  /// - Parameter begin: begins a merge; told whether the list is busy.
  private func merge(
    _ name: ListName, _ begin: @Sendable (ListReader, _ isBusy: Bool) throws -> SegmentMerge?
  ) async throws -> CompactOutcome {
    var (outcome, conflictCount) = (CompactOutcome(), 0)
    while true {
      let isBusy = conflictCount == Self.highestConflictCount
      let begun = try await store.primary.read { try begin($0, isBusy) }
      guard let begun else { return outcome }
      do {
        if begun.isShort {
          outcome.mergedCount += try await store.write { writer in
            // The segments are read again under the lock.
            _ = try writer.existingLockedList(name)
            guard let merge = try begin(writer, isBusy) else { return 0 }
            try writer.execute(merge)
            return merge.replacedCount
          }
        } else {
          try await execute(begun, of: name)
          outcome.mergedCount += begun.replacedCount
        }
        if !begun.isPartial { return outcome }
      } catch StoreError.headMoved where !isBusy {
        conflictCount += 1
      }
    }
  }

  private static let highestConflictCount = 2

  /// Makes a segment, and stores its blocks, a few in each transaction, before it takes its place.
  private func execute(_ begun: SegmentMerge, of name: ListName) async throws {
    let merge = try await storeBlocks(of: begun) { merge in
      try await store.write { try $0.install(merge) }
      return merge
    }
    try await delete(merge.replacedBlocks, of: merge.list)
    // Seldom, since it reads all blocks: a process that was killed may have left some.
    if merge.isFromFirst { try await deleteUnusedBlocks(of: name) }
    try await release(.surplus)
  }

  /// Makes the blocks of a segment, stores a few in each transaction, and then calls a body with
  /// the finished segment. Deletes them if that fails.
  func storeBlocks<Result>(
    of begun: SegmentMerge, _ body: (SegmentMerge) async throws -> Result
  ) async throws -> Result {
    var merge = begun
    do {
      while true {
        let (next, blocks) = try await CancellationFlag.watching { [merge] flag in
          try await store.primary.read { reader in
            var next = merge
            let blocks = try next.nextBlocks(reader, checkCancellation: flag.check)
            return (next, blocks)
          }
        }
        merge = next
        if blocks.isEmpty { break }
        try Task.checkCancellation()
        try await store.write { [merge] in try $0.store(blocks, of: merge) }
      }
      return try await body(merge)
    } catch {
      // The disk may be full of them, or the task cancelled.
      await Task { [merge] in try? await delete(merge.newBlocks, of: merge.list) }.value
      throw error
    }
  }

  private func delete(_ blocks: some Collection<Int64>, of list: ListKey) async throws {
    var rest = Array(blocks)[...]
    while !rest.isEmpty {
      let some = rest.prefix(Self.deletedCount)
      try await store.write { try $0.delete(some, of: list) }
      rest = rest.dropFirst(some.count)
    }
  }

  /// The number of blocks that a transaction deletes.
  private static let deletedCount = 1024

  private func deleteUnusedBlocks(of name: ListName) async throws {
    let (list, blocks) = try await store.primary.read { reader in
      let list = try reader.existingList(name).key
      return (list, try reader.unusedBlocks(of: list))
    }
    try await delete(blocks, of: list)
  }

  private func release(_ space: UnusedSpace) async throws {
    while try await store.write({ try $0.release(space) }) {
      try Task.checkCancellation()
    }
  }
}
