import ListModel
import SyncClient
import Synchronization
import TestSupport

/// A replica's file, in a process that can be killed: what the process does afterwards does not
/// reach the file.
actor MortalFile: RowStorage {
  private let file: ReplicaFile
  private(set) var isDead = false
  private var saveCount = 0

  init(_ file: ReplicaFile) { self.file = file }

  func load() async throws(ReplicaError) -> ListCopy { try await file.load() }

  func loadRows() async throws(ReplicaError) -> ListCopy { try await file.loadRows() }

  func reload() async throws -> (ListCopy, EditQueue) { try await file.reload() }

  func edits() async -> EditQueue { await file.edits() }

  func save(_ step: ReplicaStep?, _ edits: EditQueue?) async throws(ReplicaError) {
    preconditionFailure("a session saves rows")
  }

  func saveRows(_ step: ReplicaStep?, _ edits: EditQueue?) async throws -> ListCopy {
    if isDead { throw ReplicaError.notSaved(reason: "the process was killed") }
    saveCount += 1
    defer { saveCount -= 1 }
    return try await file.saveRows(step, edits)
  }

  /// Kills the process. A save that has begun ends first, as if the kill had come after it.
  func die() async {
    isDead = true
    while saveCount > 0 { await Task.yield() }
  }
}

/// Counts the answers to edits, and chooses those that get lost.
final class EditMeter: Sendable {
  private let state: Mutex<(repeatedCount: Int, random: SeededRandom)>

  init(random: SeededRandom) { state = Mutex((0, random)) }

  /// How many requests were answered as already carried out.
  var repeatedCount: Int { state.withLock { $0.repeatedCount } }

  /// The time after which the sender gives up to wait for an answer; nil if it gets the answer.
  fileprivate func milliseconds(losing response: ReplicaResponse) -> Int? {
    state.withLock { state in
      if response.status == 200 { state.repeatedCount += 1 }
      return state.random.chance(5) ? state.random.number(0...600) : nil
    }
  }
}

/// A network on which some answers to edits get lost; others edit before they are missed.
struct LossyEditTransport: ReplicaTransport {
  struct Lost: Error {}

  let transport: any ReplicaTransport
  let meter: EditMeter
  /// The file of the process that sends, which a killed process no longer does.
  let file: MortalFile

  func send(_ request: ReplicaRequest) async throws -> ReplicaResponse {
    if await file.isDead { throw Lost() }
    let response = try await transport.send(request)
    if request.body != nil, let milliseconds = meter.milliseconds(losing: response) {
      try await Task.sleep(for: .milliseconds(milliseconds))
      throw Lost()
    }
    return response
  }
}
