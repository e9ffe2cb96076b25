import Gzip
import HTTPTypes
import Hummingbird
import NIOCore

/// What the protocol makes of an answer: conditions, codings, the method HEAD, and what caches may do.
extension Answer {
  /// - Parameter isPublic: whether everybody may see what the caller sees, so that shared caches may keep it.
  func response(to request: Request, isPublic: Bool) -> Response {
    if let response = conditional(request, isPublic) { return response }
    let accepts = AcceptedCoding(request.headers[.acceptEncoding])
    let isHead = request.method == .head
    var headers = described(isPublic)
    var coded = false
    if case .held(let held) = body { coded = accepts.gzip && held.isWorthCoding }
    if case .stream = body { coded = accepts.gzip && mediaType != MediaTypes.events }
    if coded { headers[.contentEncoding] = "gzip" }
    if let cursor { headers[.eTag] = EntityTag(cursor: cursor, isGzip: coded).description }
    switch body {
    case .empty: return Response(status: status, headers: headers)
    case .held(let held):
      let bytes = coded ? held.gzip() : held.bytes
      headers[.contentLength] = String(bytes.readableBytes)
      let body = isHead ? ResponseBody() : Self.body(bytes, of: held)
      return Response(status: status, headers: headers, body: body)
    case .stream(let write):
      if isHead { return Response(status: status, headers: headers) }
      return Response(status: status, headers: headers, body: Self.body(write, isCoded: coded))
    }
  }

  /// 304 or 412 where the request's conditions say so; nil otherwise.
  private func conditional(_ request: Request, _ isPublic: Bool) -> Response? {
    guard let cursor, status == .ok, request.method == .get || request.method == .head else {
      return nil
    }
    if let text = request.headers[.ifNoneMatch],
      EntityTagCondition(text)?.matches(cursor) ?? false
    {
      var headers = described(isPublic)
      headers[.contentType] = nil
      headers[.eTag] = EntityTag(cursor: cursor).description
      return Response(status: .notModified, headers: headers)
    }
    return nil
  }

  private func described(_ isPublic: Bool) -> HTTPFields {
    var headers = headers
    headers[.contentType] = mediaType
    headers[.cacheControl] = caching.header(isPublic: isPublic)
    headers[.vary] = isPublic ? "Accept-Encoding" : "Accept-Encoding, Authorization"
    headers[.xContentTypeOptions] = "nosniff"
    return headers
  }

  private static func body(_ bytes: ByteBuffer, of held: HeldBody) -> ResponseBody {
    guard bytes.readableBytes > pieceByteCount else { return ResponseBody(byteBuffer: bytes) }
    // Piece by piece, so that it shows whether the reader goes on reading.
    return ResponseBody(contentLength: bytes.readableBytes) { writer in
      defer { withExtendedLifetime(held) {} }
      var rest = bytes
      while let piece = rest.readSlice(length: min(pieceByteCount, rest.readableBytes)),
        piece.readableBytes > 0
      {
        try await writer.write(piece)
      }
      try await writer.finish(nil)
    }
  }

  private static let pieceByteCount = 1 << 17

  private static func body(
    _ write: @escaping @Sendable (inout BodyWriter) async throws -> Void, isCoded: Bool
  ) -> ResponseBody {
    ResponseBody { writer in
      var body = BodyWriter(writer, isCoded: isCoded)
      try await write(&body)
      try await body.finish()
    }
  }
}

extension Answer.Caching {
  fileprivate func header(isPublic: Bool) -> String {
    switch self {
    case .immutable: "\(isPublic ? "public" : "private"), max-age=31536000, immutable"
    case .revalidated: "\(isPublic ? "public" : "private"), no-cache"
    case .never: "no-store"
    }
  }
}
