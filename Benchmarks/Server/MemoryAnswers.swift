import HTTPTypes
import Hummingbird
import NIOCore
import SyncServer
import Synchronization

/// Answers that are stored as given, and returned without further work.
final class MemoryAnswers: Sendable {
  private struct Kept {
    let status: HTTPResponse.Status
    let headers: HTTPFields
    let body: ByteBuffer
  }

  private let answers = Mutex<[String: Kept]>([:])

  func addRoutes(to router: Router<ServerContext>) {
    router.get("/memory/:name") { _, context in
      guard let kept = self.answer(context.parameters.get("name") ?? "") else {
        return Response(status: .notFound)
      }
      return Response(
        status: kept.status, headers: kept.headers, body: ResponseBody(byteBuffer: kept.body))
    }
    router.put("/memory/:name") { request, context in
      let body = try await request.body.collect(upTo: 1 << 28)
      self.keep(body, request.headers, as: context.parameters.get("name") ?? "")
      return Response(status: .noContent)
    }
  }

  private func answer(_ name: String) -> Kept? { answers.withLock { $0[name] } }

  /// The fields that belong to the connection are made anew for each answer.
  private func keep(_ body: ByteBuffer, _ fields: HTTPFields, as name: String) {
    let status = fields[Self.statusField].flatMap { Int($0) } ?? 200
    var headers = fields
    for field in Self.requestFields { headers[field] = nil }
    if status != 304 { headers[.contentLength] = String(body.readableBytes) }
    let kept = Kept(
      status: HTTPResponse.Status(code: status), headers: headers, body: body)
    answers.withLock { $0[name] = kept }
  }

  private static let statusField = HTTPField.Name("X-Status")!
  private static let requestFields: [HTTPField.Name] = [
    statusField, .connection, .contentLength, .acceptEncoding, .userAgent,
  ]
}
