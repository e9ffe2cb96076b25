import ListChanges
import ListDocuments
import ListModel
import SyncClient
import TestSupport

/// A server in memory with one list. It holds every version as a snapshot, and computes answers in
/// the simplest way.
struct ModelServer {
  static let list = ListName("parks")!

  /// Snapshots by version; the first is the empty list.
  private(set) var history = [ListCopy.empty]
  /// Versions below it, except 0, are pruned.
  var oldest = 1
  /// The edits that were committed, with the version that has them.
  private var made: [Edits: Cursor] = [:]

  private struct Edits: Hashable {
    let base: Cursor
    let document: String

    init(base: Cursor, document: BareChanges) {
      (self.base, self.document) = (base, document.digest)
    }
  }

  /// Makes this server's cursors differ from another's.
  private let mark: Int

  init(mark: Int = 0xA) { self.mark = mark }

  var head: ListCopy { history[history.count - 1] }

  mutating func commit(_ texts: [String]) {
    commit(Snapshot(uniqueItems: texts.map(Self.item)))
  }

  mutating func commit(_ snapshot: Snapshot) {
    let note = CommitNote(time: Timestamp(millisecondsSince1970: 0), author: "\(mark)")
    let header = VersionHeader(
      version: Version(history.count), note: note, root: Root(of: snapshot),
      previous: head.state.header?.chain ?? .zero)
    let state = ListState(header, count: snapshot.items.count)
    history.append(try! ListCopy(state: state, snapshot: snapshot))
  }

  /// `a` or `a=7`: the id, and the number in the content.
  static func item(_ text: String) -> Item {
    let parts = text.split(separator: "=")
    let value = parts.count > 1 ? String(parts[1]) : "0"
    return Item(
      id: ItemID(String(parts[0])),
      content: try! Content(json: #"{"id":"\#(parts[0])","value":\#(value)}"#))
  }

  /// Goes back to an older version, like a restored backup; later commits get other cursors.
  func restored(to version: Int) -> ModelServer {
    var server = ModelServer(mark: mark + 1)
    server.history = Array(history[...version])
    server.made = made.filter { $0.value.version.number <= version }
    server.oldest = min(oldest, version)
    return server
  }

  func changes(from: Int, to: Int, more: Bool = false) -> DeltaDocument {
    let (old, new) = (history[from], history[to])
    var delta = Delta(
      list: Self.list, from: old.state, to: new.state, oldest: Version(oldest),
      changes: old.snapshot.changes(to: new.snapshot))
    delta.more = more
    return DeltaDocument(delta)
  }

  func whole(
    _ reason: WholeListReason, from: ListState? = nil, at version: Int? = nil
  ) -> SnapshotDelta {
    let copy = history[version ?? history.count - 1]
    return SnapshotDelta(
      list: Self.list, from: from, to: copy.state, oldest: Version(oldest),
      snapshot: copy.snapshot, reason: reason)
  }

  /// Commits edits as the protocol says (P55).
  mutating func commit(_ request: ReplicaRequest) throws -> ReplicaResponse {
    let index = request.since.version.number
    guard history.indices.contains(index), history[index].cursor == request.since else {
      return problem(.diverged)
    }
    if index != 0, index < oldest { return problem(.tooOld) }
    let document = try ChangesToCommit(request.body ?? [])
    if let made = made[Edits(base: request.since, document: document.changes)] {
      return respond(made)
    }
    let base = history[index].snapshot
    let mine = try document.changes.completed { base.items[$0] }
    let merge = mine.mergedByMembers(into: base.changes(to: head.snapshot))
    guard let changes = merge.changes else { return problem(.conflicts) }
    if !changes.isEmpty { commit(try head.snapshot.applying(changes)) }
    made[Edits(base: request.since, document: document.changes)] = head.cursor
    return respond(head.cursor)
  }

  private func respond(_ made: Cursor) -> ReplicaResponse {
    ReplicaResponse(
      status: 201, headers: ["Content-Type": "application/json"],
      body: Array(#"{"outcome":"merged","head":{"cursor":"\#(made)"}}"#.utf8))
  }

  private func problem(_ kind: ProblemKind) -> ReplicaResponse {
    ReplicaResponse(
      status: kind.statusCode, headers: ["Content-Type": "application/problem+json"],
      body: Array(#"{"type":"\#(kind.type)"}"#.utf8))
  }

  private func headers(upTo version: Version) -> ReplicaResponse {
    let kept = history[max(oldest, 1)..<min(version.number + 1, history.count)]
    return respond(Array("[\(kept.reversed().map(\.state.document).joined(separator: ","))]".utf8))
  }

  /// The server's answer at this moment; a request with a wait gets 304 at once, as if its time
  /// were over.
  func response(to request: ReplicaRequest) -> ReplicaResponse {
    if case .prove(let last) = request.purpose { return headers(upTo: last.version) }
    precondition(request.body == nil, "commit(_:) answers edits")
    let version = request.since.version.number
    guard history.indices.contains(version), history[version].cursor == request.since else {
      return respond(whole(.diverged).encoded())
    }
    if version == 0, history.count > 1 { return respond(whole(.first, from: .zero).encoded()) }
    if version != 0, version < oldest { return respond(whole(.tooOld).encoded()) }
    let asksForNews = request.headers.contains { $0.name == "If-None-Match" }
    if version == history.count - 1, asksForNews {
      return ReplicaResponse(status: 304, headers: ["ETag": "\"\(head.cursor)\""])
    }
    let end = min(history.count - 1, version + (request.changeLimit ?? history.count))
    return respond(
      changes(from: version, to: end, more: end < history.count - 1).encoded())
  }

  private func respond(_ body: [UInt8]) -> ReplicaResponse {
    ReplicaResponse(status: 200, headers: ["Content-Type": "application/json"], body: body)
  }

  /// A server with the given number of random versions over a few ids.
  static func random(
    versionCount: Int, using random: inout SeededRandom
  ) -> ModelServer {
    var server = ModelServer()
    for _ in 0..<versionCount { server.commitByChance(using: &random) }
    return server
  }

  mutating func commitByChance(using random: inout SeededRandom) {
    let old = head.snapshot
    var new = old
    while new == old {
      let ids = Array("abcdefgh").shuffled(using: &random)
        .prefix(Int.random(in: 0...8, using: &random))
      new = Snapshot(
        uniqueItems: ids.map { Self.item("\($0)=\(Int.random(in: 0...2, using: &random))") })
    }
    commit(new)
  }
}
