import ListModel
import ListStore

/// The result of compacting a list.
public struct CompactOutcome: Equatable, Sendable {
  /// How many change rows were packed.
  public let packedCount: Int
}

extension SyncService {
  /// Packs the plain rows of a list. Versions, roots, cursors and answers stay as they are.
  ///
  /// Blocks are made while others write, and stored in short transactions. A process that is killed
  /// leaves the old rows or the new ones, and perhaps some that the next call deletes.
  ///
  /// - Parameters:
  ///   - name: the list.
  ///   - isWhole: whether everything is packed again, which takes the fewest bytes.
  /// - Throws: errors of looking up; `StoreError`. `StoreError.headMoved` when others packed or
  ///   pruned the list three times meanwhile.
  /// - Complexity: O(n + c log c) for a list of n items and c packed changes.
  public func compact(_ name: ListName, isWhole: Bool = false) async throws -> CompactOutcome {
    try await deletePacked(name)
    var attempts = 3
    while true {
      let packing = try await store.read { reader in
        try reader.packing(of: reader.existingList(name), isWhole: isWhole)
      }
      guard let packing else { return CompactOutcome(packedCount: 0) }
      do {
        for start in stride(from: 0, to: packing.blocks.count, by: Self.blockCount) {
          try Task.checkCancellation()
          let some = packing.blocks[start...].prefix(Self.blockCount)
          try await store.write { try $0.store(some, of: packing) }
        }
        try await store.write { try $0.install(packing) }
        try await deletePacked(name)
        return CompactOutcome(packedCount: packing.packedCount)
      } catch StoreError.headMoved where attempts > 1 {
        attempts -= 1
      }
    }
  }

  /// How many blocks a transaction stores: about a megabyte.
  private static let blockCount = 64

  private func deletePacked(_ name: ListName) async throws {
    while try await store.write({ try $0.deletePacked(of: $0.existingList(name).key) }) {
      try Task.checkCancellation()
    }
  }
}
