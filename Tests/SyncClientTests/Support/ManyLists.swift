import ListModel

@testable import SyncClient

/// A server of many lists, which counts requests.
actor ManyLists: ReplicaTransport, FileTransport {
  private var servers: [ListName: ModelServer] = [:]
  private(set) var changeRequests: [String] = []
  private(set) var deltaCounts: [ListName: Int] = [:]
  /// The lists by their last changes.
  private var log: [ListName] = []
  private var run = 1
  /// The status of the next requests for changes; nil for an answer.
  private var status: Int?
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// Whether a request for changes waits for them.
  private var holds = true
  /// Whether it knows no mark, and says so even to a request without one.
  private var forgetsMarks = false

  private var mark: String { "run\(run)-\(log.count)" }

  var waitingCount: Int { waiting.count }

  func commit(_ list: ListName, _ texts: String...) {
    servers[list, default: ModelServer()].commit(texts)
    log.append(list)
    wake()
  }

  func head(of list: ListName) -> ListCopy? { servers[list]?.head }

  func restart() {
    (run, log) = (run + 1, [])
    wake()
  }

  func holdNothing() {
    holds = false
    wake()
  }

  func forgetMarks() { forgetsMarks = true }

  func answer(with status: Int?) {
    self.status = status
    wake()
  }

  private func wake() {
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  func send(_ request: ReplicaRequest) async throws -> ReplicaResponse {
    if request.waitSeconds > 0 {
      guard let cursor = servers[request.list]?.head.cursor else { throw CancellationError() }
      if cursor == request.since { await withCheckedContinuation { waiting.append($0) } }
    }
    deltaCounts[request.list, default: 0] += 1
    guard let response = servers[request.list]?.response(to: request) else {
      return ReplicaResponse(status: 404)
    }
    // The model has one list.
    let body = String(decoding: response.body, as: UTF8.self)
      .replacing(#""list":"parks""#, with: #""list":"\#(request.list)""#)
    return ReplicaResponse(
      status: response.status, headers: response.headers, body: Array(body.utf8))
  }

  func get(
    _ path: String, headers: [(name: String, value: String)], waitSeconds: Int
  ) async throws -> ReplicaResponse {
    changeRequests.append(path)
    if path.contains("since=\(mark)&"), status == nil, holds {
      await withCheckedContinuation { waiting.append($0) }
    }
    if let status { return ReplicaResponse(status: status) }
    let known = path.firstRange(of: "since=run\(run)-").map { range in
      Int(path[range.upperBound...].prefix { $0 != "&" }) ?? 0
    }
    let isFirst = path.hasSuffix("limit=0")
    let changed = isFirst ? [] : Set(log[(known ?? 0)...])
    let lists = changed.map { list in
      #"{"list":"\#(list)","head":{"cursor":"\#(servers[list]!.head.cursor)"}}"#
    }
    return ReplicaResponse(
      status: 200,
      body: Array(
        """
        {"mark":"\(mark)","all":\(known == nil && !isFirst || forgetsMarks),"more":false,\
        "lists":[\(lists.joined(separator: ","))],"gone":[]}
        """.utf8))
  }
}
