import EmbeddedFiles
import HTTPTypes
import ListDocuments
import SyncService
import WebPage

extension Routes {
  var operations: [Route] {
    [
      Route(method: .get, path: "/healthz", access: .open, work: .bounded) { _ in
        .json(caching: .never) { $0.member("status", "alive") }
      },
      Route(method: .get, path: "/readyz", access: .open, work: .bounded) { _ in
        // The cache may be a moment behind the store, which may have been replaced since.
        guard await server.headCache.isReadable(within: .seconds(5)) else {
          throw Problem.busy("the store cannot be read at the moment")
        }
        return .json(caching: .never) { $0.member("status", "ready") }
      },
      Route(method: .get, path: "/metrics", access: .open, work: .bounded) { _ in
        Answer(
          body: .buffered(BufferedBody(Array(server.metrics.text().utf8))),
          mediaType: MediaTypes.metrics,
          caching: .never)
      },
      Route(method: .get, path: "/openapi.json", access: .open, work: .bounded) { _ in
        .json(Self.openAPI)
      },
    ]
  }

  /// `openapi.json`.
  static let openAPI = [UInt8](embedded_openapi_json())
}
