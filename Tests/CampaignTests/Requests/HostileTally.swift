import Synchronization
import TestSupport

/// The results of an attack.
final class HostileTally: Sendable {
  private struct State {
    var counts: [Int: Int] = [:]
    var requestCount = 0
    var exchangeCount = 0
    var locations: Set<String> = []
  }

  private let state = Mutex(State())

  var counts: [Int: Int] { state.withLock { $0.counts } }
  /// The addresses of acknowledged versions.
  var locations: Set<String> { state.withLock { $0.locations } }

  func note(_ answers: [AnswerReader.Answer], of requestCount: Int) {
    state.withLock { state in
      state.exchangeCount += 1
      state.requestCount += requestCount
      for answer in answers {
        state.counts[answer.status, default: 0] += 1
        // The field Location is relative to the address of the request, which nobody knows here.
        if answer.status == 201, let record = try? JSONValue(parsing: answer.body),
          let list = record["list"]?.text, let cursor = record["head"]?["cursor"]?.text
        {
          state.locations.insert("/v1/lists/\(list)/versions/\(cursor)")
        }
      }
    }
  }

  var description: String {
    state.withLock { state in
      let counts = state.counts.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
      return "\(state.requestCount) requests over \(state.exchangeCount) connections: "
        + counts.joined(separator: ", ")
    }
  }
}
