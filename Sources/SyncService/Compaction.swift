import ListModel
import ListStore

/// The result of compacting a list.
public struct CompactOutcome: Equatable, Sendable {
  /// How many change rows were packed.
  public var packedCount = 0
  /// How many packed changes were packed again with them.
  public var repackedCount = 0
  /// How many plain rows packs became.
  public var unpackedCount = 0
}

extension SyncService {
  /// Packs the plain rows of a list. Versions, roots, cursors and answers stay as they are.
  ///
  /// Blocks are made while others write, and stored in short transactions. A process that is killed
  /// leaves the old rows or the new ones, and perhaps some that the next call deletes.
  ///
  /// - Parameters:
  ///   - name: the list. If it was unpacked, it packs itself again from now on.
  ///   - isWhole: whether everything is packed again, which takes the fewest bytes.
  /// - Throws: errors of looking up; `StoreError`. `StoreError.headMoved` when others packed or
  ///   pruned the list three times meanwhile.
  /// - Complexity: O(n + c log c) for a list of n items and c packed changes.
  public func compact(_ name: ListName, isWhole: Bool = false) async throws -> CompactOutcome {
    try await pack(name, isWhole: isWhole, upTo: nil, ending: { try $0.keepPlain(false, $1) })
  }

  /// - Parameters:
  ///   - limit: as in ``compactIfDue(_:upTo:moreFollow:)``.
  ///   - end: done in the last transaction that installs packed rows, or alone if there is nothing
  ///     to pack.
  private func pack(
    _ name: ListName, isWhole: Bool, upTo limit: Int?,
    ending end: @Sendable (ListWriter, ListKey) throws -> Void = { _, _ in }
  ) async throws -> CompactOutcome {
    try await replacingRows(of: name) {
      var outcome = CompactOutcome()
      var isLast = false
      while !isLast {
        let begun = try await store.primary.read { reader in
          try reader.packing(of: reader.existingList(name), isWhole: isWhole, limit: limit)
        }
        guard let begun else {
          try await store.write { try end($0, $0.existingList(name).key) }
          return outcome == CompactOutcome() ? nil : outcome
        }
        isLast = !begun.isPartial || limit != nil
        let packing = try await storeBlocks(of: begun)
        try await store.write { [isLast] in
          try $0.install(packing)
          if isLast { try end($0, packing.list) }
        }
        try await packCheckpoints(of: packing.list, from: packing.firstVersion)
        outcome.packedCount += packing.packedCount
        outcome.repackedCount += packing.repackedCount
      }
      return outcome
    }
  }

  /// Makes and stores blocks, a few in each transaction.
  ///
  /// - Returns: the packing after its last block.
  private func storeBlocks(of packing: Packing) async throws -> Packing {
    var packing = packing
    while true {
      let (next, blocks) = try await CancellationFlag.watching { [packing] flag in
        try await store.primary.read { reader in
          var next = packing
          let blocks = try next.nextBlocks(reader, checkCancellation: flag.check)
          return (next, blocks)
        }
      }
      packing = next
      if blocks.isEmpty { return packing }
      try await store.write { [packing] in try $0.store(blocks, of: packing) }
    }
  }

  /// Packs the plain rows of a list if they take more room than the packed ones, and the list was
  /// not unpacked. Programs call this after commits, or while nobody waits.
  ///
  /// - Parameters:
  ///   - name: the list.
  ///   - limit: the largest number of bytes to pack at once, beside a single larger change; nil for
  ///     no limit. The rest stays for the next call.
  ///   - moreFollow: whether many versions follow at once, and a call without this after them: then
  ///     the list is packed only as often as its length doubles.
  /// - Throws: as ``compact(_:isWhole:)``.
  /// - Complexity: O(1) if nothing is due. Each change is packed O(log c) times in all. Memory is
  ///   bounded in bytes, beside a few times the longest text.
  @discardableResult
  public func compactIfDue(
    _ name: ListName, upTo limit: Int? = nil, moreFollow: Bool = false
  ) async throws -> CompactOutcome {
    let isDue = try await store.primary.read {
      try $0.isPackingDue($0.existingList(name).key, moreFollow: moreFollow)
    }
    return isDue ? try await pack(name, isWhole: false, upTo: limit) : CompactOutcome()
  }

  /// Makes plain rows of what a list has packed, for people who read them with SQL. The list stays
  /// plain until ``compact(_:isWhole:)``.
  ///
  /// The plain rows are stored in short transactions beside the packs, and then take their place.
  ///
  /// - Throws: as ``compact(_:isWhole:)``.
  /// - Complexity: for each 4,096 rows, the blocks that have something of them.
  public func unpack(_ name: ListName) async throws -> CompactOutcome {
    try await replacingRows(of: name) {
      let unpacking = try await store.primary.read { try $0.unpacking(of: $0.existingList(name)) }
      guard let unpacking else {
        try await store.write { try $0.keepPlain(true, $0.existingList(name).key) }
        return nil
      }
      var count = 0
      while count < unpacking.rowCount {
        try Task.checkCancellation()
        let rows = try await store.primary.read { [count] in
          try $0.plainRows(of: unpacking, from: count)
        }
        try await store.write { try $0.store(rows, of: unpacking) }
        count += rows.count
      }
      try await store.write {
        try $0.install(unpacking)
        try $0.keepPlain(true, unpacking.list)
      }
      return CompactOutcome(unpackedCount: unpacking.rowCount)
    }
  }

  /// Replaces rows of a list, and deletes those that are replaced. Starts over when others have
  /// replaced some meanwhile.
  ///
  /// - Parameter replace: nil if nothing was replaced.
  private func replacingRows(
    of name: ListName, _ replace: () async throws -> CompactOutcome?
  ) async throws -> CompactOutcome {
    var attempts = 3
    while true {
      try await deletePacked(name)
      do {
        guard let outcome = try await replace() else { return CompactOutcome() }
        try await deletePacked(name)
        return outcome
      } catch StoreError.headMoved where attempts > 1 {
        attempts -= 1
      }
    }
  }

  private func packCheckpoints(of list: ListKey, from first: Version) async throws {
    var next: Version? = first
    while let first = next {
      try Task.checkCancellation()
      let packed = try await store.primary.read { try $0.packedCheckpoints(of: list, from: first) }
      try await store.write { try $0.store(packed) }
      next = packed.next
    }
  }

  private func deletePacked(_ name: ListName) async throws {
    while try await store.write({ try $0.deletePacked(of: $0.existingList(name).key) }) {
      try Task.checkCancellation()
    }
  }
}
