import ListModel
import Synchronization

/// The keys that the lists of some names had when they were last read, guarded by a mutex. It is
/// emptied when it is full.
///
/// A reader that uses such a key also reads the directory in the same round trip, and so notices if
/// the name now leads to another list.
public final class ListKeyMemory: Sendable {
  private static let limit = 4096
  private let keys = Mutex<[ListName: Int64]>([:])

  public init() {}

  package func key(of name: ListName) -> Int64? { keys.withLock { $0[name] } }

  func remember(_ key: Int64, of name: ListName) {
    keys.withLock { keys in
      if keys.count >= Self.limit { keys.removeAll() }
      keys[name] = key
    }
  }
}
