import ListModel
import StoreTestSupport

extension CallHistory {
  /// A pruning keeps the requested number of versions below a head that existed during the call,
  /// and never restores a version.
  func pruningFaults() -> [String] {
    calls.compactMap { call in
      guard case .pruned(let count, let oldest) = call.outcome else { return nil }
      func floor(under head: Version) -> Version { Version(max(1, head.number - count + 1)) }
      let before = pace.floors.before(call.invokedAt)
      let least = max(before, floor(under: pace.acknowledged.before(call.invokedAt)))
      let most = max(before, floor(under: pace.invoked.before(call.respondedAt)))
      return oldest < least || oldest > most
        ? "\(call.name) pruned to \(oldest), not to \(least) to \(most)" : nil
    }
  }
}
