import HTTPTypes
import Hummingbird
import ListDocuments
import ListModel
import SyncService

/// Single items of a list. Nothing sends the rest of the list.
extension Routes {
  var items: [Route] {
    items(at: "/v1/lists/{list}/items/{item}", [])
      + items(at: "/v1/lists/{list}/items", ["item"])
  }

  private func items(at path: String, _ parameters: [String]) -> [Route] {
    [
      Route(
        method: .get, path: path, parameters: parameters + ["at"], access: .read, work: .shared
      ) { call in
        let revision = try call.revision("at") ?? .head
        let found = try await server.service.item(
          call.itemID(), of: call.listName(), at: revision)
        var answer = Answer.json(found.item.content.bytes + "\n".utf8)
        answer.cursor = found.state.cursor
        if revision.isPinned { answer.caching = .immutable }
        return answer
      },
      Route(
        method: .put, path: path,
        parameters: parameters
          + ["after", "before", "to", "first", "last", "author", "message"], access: .write,
        work: .commit
      ) { call in try await putItem(call) },
      Route(
        method: .delete, path: path, parameters: parameters + ["author", "message"], access: .write,
        work: .commit
      ) { call in
        let (list, expected) = try condition(of: call)
        let request = CommitRequest(list: list, edits: [.remove(try call.itemID())])
        return try await commit(request, expected, call) { _ in false }
      },
    ]
  }

  private func putItem(_ call: Call) async throws -> Answer {
    let (list, expected) = try condition(of: call)
    let (id, place) = (try call.itemID(), try place(in: call.query))
    try BodyKind.checkJSON(call.request.headers[.contentType])
    var options = try await readingOptions(call, of: list)
    // One JSON value, which may be an array.
    options.format = .ndjson
    let reader = SnapshotReader(options: options)
    return try await call.withBody(of: server) { bytes in
      let items = try reader.read(bytes).snapshot.items
      guard let item = items.first, items.count == 1 else {
        throw Problem(
          kind: .unprocessable, detail: "the body has \(items.count) items; send one JSON value")
      }
      guard item.id == id else {
        throw Problem(
          kind: .unprocessable,
          detail: """
            the body is the item '\(item.id.text.shortened)', but the address names \
            '\(id.text.shortened)'
            """)
      }
      let request = CommitRequest(list: list, edits: [.put(item, place)])
      return try await commit(request, expected, call) { $0.changes.inserted > 0 }
    }
  }

  /// The list of a call that changes one of its items or drops it, and the version that the caller
  /// has seen.
  ///
  /// - Throws: `Problem` of type `precondition-required` without If-Match.
  func condition(
    of call: Call
  ) throws(Problem) -> (list: ListName, expected: [Revision]) {
    let list = try call.listName()
    guard call.request.headers[.ifNoneMatch] == nil else {
      throw .invalid("If-None-Match: this needs If-Match, with the tag of the list")
    }
    guard let text = call.request.headers[.ifMatch] else {
      throw Problem(
        kind: .preconditionRequired,
        detail: """
          name the version of \(list) that you have seen: If-Match with the ETag of its answer, \
          or If-Match: * whatever the version is
          """,
        members: Problem.Members(snapshot: Address.list(list)))
    }
    return (list, try expectation(ifMatch: text, on: list))
  }

  /// The place that a query names; nil if it names none.
  private func place(in query: QueryParameters) throws(Problem) -> Edit.Place? {
    var places: [Edit.Place] = []
    if let id = query["after"] { places.append(.after(ItemID(id))) }
    if let id = query["before"] { places.append(.before(ItemID(id))) }
    if let index = try query.number("to", in: 0...Int(Int32.max)) { places.append(.at(index)) }
    if try query.flag("first") { places.append(.first) }
    if try query.flag("last") { places.append(.last) }
    guard places.count <= 1 else {
      throw .invalid("name one place only: after, before, to, first or last")
    }
    return places.first
  }
}
