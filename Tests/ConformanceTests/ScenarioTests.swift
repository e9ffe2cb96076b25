import ListDocuments
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

  @Test func replicaFollowsEachPublication() async throws {
    for publication in try VectorFile.read("publications") {
      let storage = ReplicaMemory()
      for (number, run) in (publication["runs"]?.elements ?? []).enumerated() {
        let name: Comment = "run \(number + 1) of \(publication["name"]?.text ?? "")"
        let files = ScriptedFiles(run)
        try await play(run, AddressOrigin(files, clock: .immediate), storage, name)
        #expect(await files.asked == run["asked"]?.elements?.map(\.text), name)
        if let heads = run["heads"]?.number {
          #expect(await files.headCount == Int(heads), name)
        }
      }
    }
  }

  private func play(
    _ run: JSONValue, _ storage: ReplicaMemory, _ name: Comment
  ) async throws {
    let transport = ScriptedTransport(run["answers"]?.elements ?? [])
    try await play(run, ServerOrigin(transport: transport), storage, name)
    #expect(await transport.faults == [], name)
    #expect(await transport.answersLeft == 0, name)
  }

  private func play(
    _ run: JSONValue, _ origin: any ReplicaOrigin, _ storage: ReplicaMemory, _ name: Comment
  ) async throws {
    let until = run["until"]?.number.map { Version(Int($0)) }
    var options = ReplicaMachine.Options(list: History.list)
    options.watches = until != nil
    options.retry.tryLimit = 4
    options.key = run["key"]?.text.flatMap { VerifierKey($0) }
    let session = ReplicaSession(options, origin: origin, storage: storage, clock: .immediate)
    try await session.start()
    if let until {
      while await session.copy.cursor.version < until {
        try await Task.sleep(for: .milliseconds(1))
      }
      await session.stop()
    } else if run["final"] == .null {
      let error = await #expect(throws: ReplicaError.self, name) { try await session.settle() }
      if let refusal = run["refusal"]?.text {
        guard case .untrusted(let found) = error, found.kind == refusal else {
          Issue.record("\(name): \(error as Any) is not \(refusal)")
          return
        }
      }
    } else {
      try await session.settle()
    }
    let copy = await session.copy
    if let final = run["final"], final != .null {
      #expect(copy.cursor.description == final["cursor"]?.text, name)
      #expect(copy.state.root.description == final["root"]?.text, name)
      #expect(copy.snapshot.items.map(\.id.text) == final["ids"]?.elements?.map(\.text), name)
    }
  }
}

extension ReplicaClock {
  /// Waits take no time.
  fileprivate static let immediate = ReplicaClock {
    0
  } sleep: { _ in
    await Task.yield()
  } random: {
    0.5
  }
}

/// The files of a run. Where they are asked for as those of a server, it has nothing.
private actor ScriptedFiles: ReplicaTransport, FileTransport {
  private let files: JSONValue?
  private var heads: ArraySlice<String>
  private(set) var asked: [String] = []
  private(set) var headCount = 0

  init(_ run: JSONValue) {
    files = run["files"]
    let head = run["files"]?["head.json"]
    heads =
      ([head?["content"]?.text] + (head?["later"]?.elements ?? []).map(\.text))
      .compactMap { $0 }[...]
  }

  func send(_ request: ReplicaRequest) async throws -> ReplicaResponse {
    ReplicaResponse(status: 404)
  }

  func get(
    _ path: String, headers: [(name: String, value: String)], waitSeconds: Int
  ) async throws -> ReplicaResponse {
    let file = String(path.dropFirst("/parks/".count))
    guard file == "head.json" else {
      asked.append(file)
      let isPastCache = headers.contains { $0.name == "Cache-Control" && $0.value == "no-cache" }
      let cached = isPastCache ? nil : files?[file]?["cached"]?.text
      guard let content = cached ?? files?[file]?["content"]?.text else {
        return ReplicaResponse(status: 404)
      }
      return ReplicaResponse(status: 200, body: Array(content.utf8))
    }
    headCount += 1
    let head = heads.count > 1 ? heads.removeFirst() : heads[heads.startIndex]
    let tag = "\"\(head.hashValue)\""
    var fields = (files?[file]?["headers"]?.members ?? [:]).compactMapValues(\.text)
    fields["ETag"] = tag
    let isSame = headers.contains { $0.name == "If-None-Match" && $0.value == tag }
    return ReplicaResponse(
      status: isSame ? 304 : 200, headers: fields, body: isSame ? [] : Array(head.utf8))
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
