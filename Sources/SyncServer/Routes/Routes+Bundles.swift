import HTTPTypes
import ListDocuments
import ListModel
import SyncService

extension Routes {
  var bundles: [Route] {
    [
      Route(
        method: .get, path: "/v1/lists/{list}/bundle", parameters: ["since", "to"], access: .read,
        work: .own
      ) { call in
        var request = ExportRequest(list: try call.listName())
        request.since = try call.revision("since")
        if let to = try call.revision("to") { request.to = to }
        let export = try await server.service.export(request)
        var answer = Answer(mediaType: MediaTypes.lines)
        answer.cursor = export.header.target.cursor
        let lineByteLimit = server.settings.limits[.lineBytes]
        // The header determines all bytes that follow.
        var writer = try BundleWriter(export.header, lineByteLimit: lineByteLimit)
        let head = writer.takeBytes()
        answer.variant = EntityTag.Variant(of: head)
        answer.body = .stream { [writer] body in
          // The reader learns at once that the answer has begun.
          try await body.write(head)
          try await write(export, writer, to: &body, call)
        }
        return answer
      }
    ]
  }

  /// Writes a bundle batch by batch. Each batch is made by the rule for long answers, and counts as
  /// part of an answer while it is being sent: one version may be as large as a list.
  private func write(
    _ export: BundleExport, _ writer: BundleWriter, to body: inout BodyWriter, _ call: Call
  ) async throws {
    var (export, writer, isAtEnd) = (export, writer, false)
    let isLong = export.itemCount > LargeAnswerLimiter.leastItemCount
    while !isAtEnd {
      // The head of the answer was sent: to a client that has gone, it broke the connection.
      guard call.isConnected else { throw ClientHasGone() }
      (export, writer, isAtEnd) = try await call.whileClientWaits { [export, writer] in
        let answers = server.answerLimiter
        if !isLong, let made = try await answers.atOnce({ try await next(export, writer) }) {
          return made
        }
        return try await answers.makePiece { try await next(export, writer) }
      }
      let plain = writer.takeBytes()
      let bytes =
        isLong
        ? try await server.answerLimiter.makePiece { try body.compressed(plain) }
        : try body.compressed(plain)
      server.cache.held.add(bytes.count)
      defer { server.cache.held.add(-bytes.count) }
      try await body.send(bytes)
    }
  }

  /// Writes the next batch, or the end.
  private func next(
    _ export: BundleExport, _ writer: BundleWriter
  ) async throws -> (BundleExport, BundleWriter, isAtEnd: Bool) {
    var (export, writer) = (export, writer)
    let parts = try await export.nextBatch()
    for part in parts {
      try Task.checkCancellation()
      try writer.append(part)
    }
    if parts.isEmpty { _ = try writer.finish() }
    return (export, writer, parts.isEmpty)
  }
}
