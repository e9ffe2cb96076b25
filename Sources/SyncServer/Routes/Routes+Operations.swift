import HTTPTypes
import ListDocuments

extension Routes {
  var operations: [Route] {
    [
      Route(method: .get, path: "/healthz", access: .open) { _ in
        Answer.json(Self.word("alive"), caching: .never)
      },
      Route(method: .get, path: "/readyz", access: .open) { _ in
        guard server.isReady else {
          throw Problem(
            kind: .busy, detail: "the store cannot be read at the moment",
            headers: [.retryAfter: "1"])
        }
        return Answer.json(Self.word("ready"), caching: .never)
      },
      Route(method: .get, path: "/metrics", access: .open) { _ in
        Answer(
          body: .held(HeldBody(Array(server.metrics.text().utf8))), mediaType: MediaTypes.metrics,
          caching: .never)
      },
      Route(method: .get, path: "/openapi.json", access: .open) { _ in
        Answer.json(PackageResources.openapi_json)
      },
    ]
  }

  private static func word(_ status: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { $0.member("status", status) }
    return writer.bytes + "\n".utf8
  }
}
