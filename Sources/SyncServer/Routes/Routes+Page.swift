import HTTPTypes
import Hummingbird
import ListDocuments
import WebPage

/// The page in a browser. Its files show nothing of any list, so they need no token.
extension Routes {
  var page: [Route] {
    [
      Route(method: .get, path: "/", access: .open, work: .bounded) { call in
        // A program gets the problem that other addresses without a resource have.
        guard call.request.headers[.accept]?.contains("text/html") ?? false else {
          throw Problem(
            kind: .notFound, detail: "there is nothing at this address; see /openapi.json")
        }
        var answer = answer(WebPage.document)
        answer.variesWithAccept = true
        return answer
      },
      Route(method: .get, path: "/page/{file}", access: .open, work: .bounded) { call in
        guard let file = WebPage.files[try call.pathValue("file")] else {
          throw Problem(kind: .notFound, detail: "the page has no such file")
        }
        return answer(file)
      },
    ]
  }

  private func answer(_ file: WebPage.File) -> Answer {
    Answer(
      headers: [
        .contentSecurityPolicy: WebPage.contentSecurityPolicy, .referrerPolicy: "no-referrer",
      ],
      body: .buffered(BufferedBody(file.bytes)), mediaType: file.mediaType)
  }
}
