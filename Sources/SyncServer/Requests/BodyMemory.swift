import HTTPTypes
import ListDocuments
import Synchronization

/// The bytes of long bodies that are in memory, so that uploads take no more of it than a server
/// has.
///
/// Bytes are counted as they come: who announces a long body and sends little of it keeps nobody
/// out.
final class BodyMemory: Sendable {
  private let byteLimit: Int
  private let total = Mutex(0)

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  var byteCount: Int { total.withLock { $0 } }

  /// One request's part of the bytes.
  final class Share: Sendable {
    private let memory: BodyMemory
    private let own = Mutex(0)

    init(of memory: BodyMemory) { self.memory = memory }

    /// Counts further bytes.
    ///
    /// - Throws: `Problem` of type `busy` when there would be more of them than may be.
    func take(_ count: Int) throws(Problem) {
      let isRoom = memory.total.withLock { total in
        guard total + count <= memory.byteLimit else { return false }
        total += count
        return true
      }
      guard isRoom else {
        throw Problem(
          kind: .busy, detail: "too many long bodies are being read already; try again",
          headers: [.retryAfter: "1"])
      }
      own.withLock { $0 += count }
    }

    func giveBack() {
      let count = own.withLock { own in
        defer { own = 0 }
        return own
      }
      memory.total.withLock { $0 -= count }
    }
  }
}
