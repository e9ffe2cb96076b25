import ListChanges
import ListModel
import StoreTestSupport
import SyncService

/// The right answer to a request to catch up, computed from all versions that there ever were.
struct CatchUpOracle {
  enum Expected: Equatable, CustomStringConvertible {
    case answer(CatchUpAnswer<Delta>)
    /// Refused as too old; the refusal names the oldest version and the head.
    case tooOld(oldest: Version, head: Version)
    /// No such version.
    case noSuchVersion

    var description: String {
      func name(_ state: ListState?) -> String { state?.cursor?.description ?? "nothing" }
      return switch self {
      case .answer(.changes(let delta)):
        """
        \(name(delta.from)) to \(name(delta.to)), oldest \(delta.oldest ?? .zero), more \
        \(delta.more), \(delta.changes.count) changes, \(ChangeDigest.of(delta.changes).prefix(6))
        """
      case .answer(.snapshot(let delta)):
        """
        \(name(delta.from)) to \(name(delta.to)), oldest \(delta.oldest), snapshot, \
        \(delta.reason), \(delta.snapshot.items.count) items
        """
      case .tooOld(let oldest, let head): "too old, \(oldest) to \(head)"
      case .noSuchVersion: "no such version"
      }
    }
  }

  private let twin: TwinList

  /// - Parameters:
  ///   - twin: has every version that the list had, and perhaps later ones.
  ///   - oldest: of the state that answers, like the head.
  init(twin: TwinList, oldest: Version, head: Version) {
    self.twin = twin.asOf(head: head.number, oldest: oldest.number)
  }

  init(twin: TwinList) { self.twin = twin }

  /// - Precondition: The request names versions by number or cursor.
  func answer(to request: CatchUpRequest) throws -> Expected {
    var store = TwinStore()
    store[twin.name] = twin
    do {
      return .answer(try store.catchUp(request))
    } catch ServiceError.tooOld(_, _, let oldest, let head) {
      return .tooOld(oldest: oldest, head: head)
    } catch ServiceError.noSuchVersion, ServiceError.diverged {
      return .noSuchVersion
    }
  }
}
