import Synchronization

/// The keys that the lists of some names had when they were last read. A caller that uses such a
/// key also reads the directory in the same round trip, and so notices if the name now leads to
/// another list.
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
