import ListModel
import TestSupport
import Testing

@testable import SyncClient

/// The library's replica in the scripts that `run_client.py` plays to clients in other languages.
@Suite struct ScenarioTests {
  @Test func replicaEndsEachScenarioWithItsList() async throws {
    for scenario in try VectorFile.read("scenarios") {
      let storage = ReplicaMemory()
      for (number, run) in (scenario["runs"]?.elements ?? []).enumerated() {
        try await play(run, storage, "run \(number + 1) of \(scenario["name"]?.text ?? "")")
      }
    }
  }

  private func play(
    _ run: JSONValue, _ storage: ReplicaMemory, _ name: Comment
  ) async throws {
    let transport = ScriptedTransport(run["answers"]?.elements ?? [])
    let until = run["until"]?.number.map { Version(Int($0)) }
    var options = ReplicaMachine.Options(list: History.list)
    options.watches = until != nil
    options.retry.tryLimit = 4
    let clock = ReplicaClock {
      0
    } sleep: { _ in
      await Task.yield()
    } random: {
      0.5
    }
    let session = ReplicaSession(options, transport: transport, storage: storage, clock: clock)
    try await session.start()
    if let until {
      while await session.copy.cursor.version < until {
        try await Task.sleep(for: .milliseconds(1))
      }
      await session.stop()
    } else if run["final"] == .null {
      await #expect(throws: ReplicaError.self, name) { try await session.settle() }
    } else {
      try await session.settle()
    }
    let copy = await session.copy
    if let final = run["final"], final != .null {
      #expect(copy.cursor.description == final["cursor"]?.text, name)
      #expect(copy.state.root.description == final["root"]?.text, name)
      #expect(copy.snapshot.items.map(\.id.text) == final["ids"]?.elements?.map(\.text), name)
    }
    #expect(await transport.faults == [], name)
    #expect(await transport.answersLeft == 0, name)
  }
}

/// Gives the answers of a run in order.
private actor ScriptedTransport: ReplicaTransport {
  private var answers: ArraySlice<JSONValue>
  private(set) var faults: [String] = []

  init(_ answers: [JSONValue]) { self.answers = answers[...] }

  var answersLeft: Int { answers.count }

  func send(_ request: ReplicaRequest) async throws -> ReplicaResponse {
    guard let answer = answers.popFirst() else {
      if request.waitSeconds == 0 { faults.append("it asks again: \(request.target)") }
      try await Task.sleep(for: .seconds(600))
      throw CancellationError()
    }
    if request.since.description != answer["since"]?.text {
      faults.append("\(request.target) is not since \(answer["since"]?.text ?? "")")
    }
    if answer["wait"] == .bool(true), request.waitSeconds == 0 { faults.append("it does not wait") }
    if answer["close"] != nil || answer["cut"] != nil {
      throw Unavailability.network(reason: "lost")
    }
    var headers = (answer["headers"]?.members ?? [:]).compactMapValues(\.text)
    headers["Content-Type"] = answer["type"]?.text ?? "application/json"
    return ReplicaResponse(
      status: Int(answer["status"]?.number ?? 200), headers: headers,
      body: Array((answer["body"]?.text ?? "").utf8))
  }
}
