import ListModel
import StoreTestSupport
import SyncService
import TestSupport

/// A client with an older state of a list, which asks for the changes since then.
struct CatchUpClient {
  /// The client's items, and the cursor they belong to.
  private(set) var cursor = Cursor(version: .zero, chain: .zero)
  private(set) var snapshot = Snapshot.empty

  /// A random request of any kind, in either direction.
  func request(
    head: Version, oldest: Version, _ random: inout SeededRandom
  ) -> CatchUpRequest {
    var request = CatchUpRequest(list: .parks, since: .cursor(cursor))
    switch Int.random(in: 0..<8, using: &random) {
    case 0: request.to = .version(.zero)
    case 1, 2: request.to = .version(Self.version(head, oldest, &random))
    case 3: request.to = .head(back: Int.random(in: 0...head.number, using: &random))
    default: break
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      request.changeLimit = Int.random(in: 1...30, using: &random)
    }
    request.fallsBack = Int.random(in: 0..<3, using: &random) == 0
    request.takesSmaller = Int.random(in: 0..<3, using: &random) == 0
    return request
  }

  /// A version that existed, most often one near the oldest or newest version kept.
  private static func version(
    _ head: Version, _ oldest: Version, _ random: inout SeededRandom
  ) -> Version {
    let edge = max(0, oldest.number - 2)...min(head.number, oldest.number + 2)
    let isNear = Bool.random(using: &random)
    return Version(.random(in: isNear ? edge : 0...head.number, using: &random))
  }

  /// Applies an answer to the client's items.
  ///
  /// - Throws: `ListChangesError` when the changes do not fit.
  mutating func take(_ answer: CatchUpAnswer<Delta>) throws {
    switch answer {
    case .changes(let delta): snapshot = try snapshot.applying(delta.changes)
    case .snapshot(let delta): snapshot = delta.snapshot
    }
    if let reached = answer.to.cursor { cursor = reached }
  }
}
