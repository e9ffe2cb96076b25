import ListModel
import ListStore
import SyncService
import Terminal

extension SyncService {
  /// Merges segments of a list that a verb added versions to, if that is due. The versions are
  /// stored, so a failure is told and is not the verb's.
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
