import ListModel
import ListStore
import SyncService

extension SyncService {
  /// Merges segments of a list after a verb has added versions, if that is due. The versions are
  /// stored, so an error is only reported.
  func compactAfterwards(_ list: ListName) async {
    do {
      try await ProgressLine.timing("compacting \(list)") { _ = try await compactIfDue(list) }
    } catch StoreError.busy, StoreError.headMoved {
      // Another program writes now, or merges them. The next commit looks again.
    } catch {
      Output.diagnostic("\(list) was not compacted: \(Failure(error)?.message ?? "\(error)")")
    }
  }
}
