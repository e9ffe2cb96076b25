import Synchronization

/// The keys that lists of some names had when they were read last. Whoever uses one reads the
/// directory in the same round trip, and notices if the name leads to another list by now.
final class ListKeyMemory: Sendable {
  private static let limit = 4096
  private let keys = Mutex<[String: Int64]>([:])

  func key(of name: String) -> Int64? { keys.withLock { $0[name] } }

  func remember(_ key: Int64, of name: String) {
    keys.withLock { keys in
      if keys.count >= Self.limit { keys.removeAll() }
      keys[name] = key
    }
  }
}
