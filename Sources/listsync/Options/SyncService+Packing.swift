import ListModel
import ListStore
import SyncService
import Terminal

extension SyncService {
  /// The number of bytes that a verb packs after a commit: it takes less than half a second.
  static let packedAfterCommit = 1 << 22

  /// Packs a list that a verb added versions to, if that is due. The versions are stored, so a
  /// failure is told and is not the verb's.
  ///
  /// - Parameter limit: the largest number of bytes to pack; nil for no limit.
  func packAfterwards(_ list: ListName, upTo limit: Int? = nil) async {
    do {
      try await ProgressLine.timing("packing \(list)") {
        _ = try await compactIfDue(list, upTo: limit)
      }
    } catch StoreError.busy, StoreError.headMoved {
      // Another program writes now, or packs the list. The next commit looks again.
    } catch {
      Output.diagnostic("\(list) was not packed: \(Failure(error)?.message ?? "\(error)")")
    }
  }
}
