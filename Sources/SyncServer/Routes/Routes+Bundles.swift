import HTTPTypes
import ListDocuments
import ListModel
import SyncService

extension Routes {
  var bundles: [Route] {
    [
      Route(
        method: .get, path: "/v1/lists/{list}/bundle", parameters: ["since", "to"], access: .read
      ) { call in
        let export = try await export(call)
        var answer = Answer(mediaType: MediaTypes.lines)
        answer.cursor = export.header.target.cursor
        let lineByteLimit = server.settings.limits[.lineBytes]
        // The header determines all bytes that follow.
        var first = try BundleWriter(export.header, lineByteLimit: lineByteLimit)
        answer.variant = EntityTag.Variant(of: first.takeBytes())
        answer.body = .stream { body in
          try await write(
            export, BundleWriter(export.header, lineByteLimit: lineByteLimit), to: &body, call)
        }
        return answer
      }
    ]
  }

  private func export(_ call: Call) async throws -> BundleExport {
    var request = ExportRequest(list: try call.listName())
    request.since = try call.revision("since")
    if let to = try call.revision("to") { request.to = to }
    let count = server.board.head(of: request.list)?.head.count ?? 0
    guard count > LongAnswers.leastItemCount else {
      return try await server.service.export(request)
    }
    // A range that begins with a whole list reads its keys.
    return try await call.whileClientWaits { [request] in
      try await server.longAnswers.make { try await server.service.export(request) }
    }
  }

  /// Writes a bundle batch by batch. A long batch is made when it is its turn, and counts as part
  /// of an answer while it is being sent: one version may be as large as a list.
  private func write(
    _ export: BundleExport, _ writer: BundleWriter, to body: inout BodyWriter, _ call: Call
  ) async throws {
    var (export, writer) = (export, writer)
    let isLong = export.itemCount > LongAnswers.leastItemCount
    var isAtEnd = false
    while !isAtEnd {
      // The head of the answer was sent: to a client that has gone, it broke the connection.
      guard call.isConnected else { throw ClientHasGone() }
      func nextBytes() async throws -> [UInt8] {
        let parts = try await export.nextBatch()
        for part in parts { try writer.append(part) }
        isAtEnd = parts.isEmpty
        if isAtEnd { _ = try writer.finish() }
        return body.coded(writer.takeBytes())
      }
      let bytes =
        isLong ? try await server.longAnswers.makePiece(nextBytes) : try await nextBytes()
      server.cache.held.add(bytes.count)
      defer { server.cache.held.add(-bytes.count) }
      try await body.send(bytes)
    }
  }
}
