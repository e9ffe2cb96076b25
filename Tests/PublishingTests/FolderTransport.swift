import Foundation
import ListModel
import SyncClient

/// A web server, or a cache, of a folder of files.
actor FolderTransport: FileTransport, ReplicaTransport {
  private let folder: URL
  private(set) var requests: [String] = []
  /// How many requests were answered with 304.
  private(set) var unchangedCount = 0
  /// What a cache answers in place of the file, by its path; nil for a file that is not there.
  private var replacements: [String: [UInt8]?] = [:]
  /// The replacements that a request past caches does not get.
  private var cached: Set<String> = []
  /// The next responses to a path, in place of the file.
  private var planned: [String: [ReplicaResponse]] = [:]
  private var headers: [String: String] = [:]
  private var freezes = false

  init(_ folder: URL) { self.folder = folder }

  /// Answers from now on with the present content of each file that is asked for, as it was first.
  func freeze() { freezes = true }

  func thaw() { (freezes, replacements, cached) = (false, [:], []) }

  func replace(_ path: String, _ content: [UInt8]?, isOfCache: Bool = false) {
    replacements[path] = content
    if isOfCache { cached.insert(path) } else { cached.remove(path) }
  }

  func plan(_ path: String, _ responses: ReplicaResponse...) { planned[path] = responses }

  func set(_ headers: [String: String]) { self.headers = headers }

  func forgetRequests() { requests = [] }

  /// There is no server.
  func send(_ request: ReplicaRequest) async throws -> ReplicaResponse {
    requests.append(request.target)
    return ReplicaResponse(status: 404, headers: ["Content-Type": "text/html"])
  }

  func get(
    _ path: String, headers asked: [(name: String, value: String)], waitSeconds: Int
  ) async throws -> ReplicaResponse {
    requests.append(path)
    if let response = planned[path]?.first {
      planned[path]?.removeFirst()
      return response
    }
    let file = folder.appendingPathComponent(path)
    let isPastCache = asked.contains { $0.name == "Cache-Control" && $0.value == "no-cache" }
    let replacement = isPastCache && cached.contains(path) ? nil : replacements[path]
    let content = replacement ?? (try? Data(contentsOf: file)).map { Array($0) }
    if freezes { replacements[path] = content }
    guard let content else {
      return ReplicaResponse(status: 404, headers: ["Content-Type": "text/html"])
    }
    let tag = "\"\(content.hashValue)\""
    if asked.contains(where: { $0.name == "If-None-Match" && $0.value == tag }) {
      unchangedCount += 1
      return ReplicaResponse(status: 304, headers: headers)
    }
    return ReplicaResponse(
      status: 200, headers: headers.merging(["ETag": tag]) { $1 }, body: content)
  }
}
