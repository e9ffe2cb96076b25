import HTTPTypes
import Synchronization

/// How many long bodies are in memory, so that uploads take no more of it than a server has.
final class LongBodies: Sendable {
  private let limit: Int
  private let count = Mutex(0)

  init(limit: Int) { self.limit = limit }

  var heldCount: Int { count.withLock { $0 } }

  /// One request's part in the number.
  final class Share: Sendable {
    private let bodies: LongBodies
    private let isTaken = Mutex(false)

    init(of bodies: LongBodies) { self.bodies = bodies }

    /// Counts the request, once.
    ///
    /// - Throws: `Problem` of type `busy` when there are as many as may be.
    func take() throws(Problem) {
      let isLate = isTaken.withLock { isTaken in
        if isTaken { return false }
        isTaken = bodies.count.withLock { count in
          guard count < bodies.limit else { return false }
          count += 1
          return true
        }
        return !isTaken
      }
      if isLate {
        throw Problem(
          kind: .busy, detail: "\(bodies.limit) long bodies are being read already; try again",
          headers: [.retryAfter: "1"])
      }
    }

    func giveBack() {
      isTaken.withLock { isTaken in
        if isTaken { bodies.count.withLock { $0 -= 1 } }
        isTaken = false
      }
    }
  }
}
