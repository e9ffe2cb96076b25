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
        var request = ExportRequest(list: try call.listName())
        request.since = try call.revision("since")
        if let to = try call.revision("to") { request.to = to }
        let export = try await server.service.export(request)
        var answer = Answer(mediaType: MediaTypes.lines)
        answer.cursor = export.header.target.cursor
        let lineByteLimit = server.settings.limits[.lineBytes]
        // The header determines all bytes that follow.
        var first = try BundleWriter(export.header, lineByteLimit: lineByteLimit)
        answer.variant = EntityTag.Variant(of: first.takeBytes())
        answer.body = .stream { body in
          var export = export
          var writer = try BundleWriter(export.header, lineByteLimit: lineByteLimit)
          while case let parts = try await export.nextBatch(), !parts.isEmpty {
            for part in parts { try writer.append(part) }
            try await body.write(writer.takeBytes())
          }
          _ = try writer.finish()
          try await body.write(writer.takeBytes())
        }
        return answer
      }
    ]
  }
}
