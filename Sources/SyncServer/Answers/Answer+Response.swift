import Gzip
import HTTPTypes
import Hummingbird
import ListDocuments
import NIOCore

/// What the protocol makes of an answer: conditions, codings, the method HEAD, and what caches may
/// do.
extension Answer {
  /// - Parameter isPublic: whether everybody may see what the caller sees, so that shared caches
  ///   may keep it.
  func response(to request: Request, isPublic: Bool) -> Response {
    var headers = described(isPublic)
    if isUnchanged(for: request) {
      headers[.contentType] = nil
      headers[.eTag] = tag(isGzip: false)?.description
      return .bodiless(.notModified, headers)
    }
    let isCoded = AcceptedCoding(request.headers[.acceptEncoding]).gzip && isWorthCoding
    if isCoded { headers[.contentEncoding] = "gzip" }
    headers[.eTag] = tag(isGzip: isCoded)?.description
    let isHead = request.method == .head
    switch body {
    case .empty: return .bodiless(status, headers)
    case .held(let held):
      let bytes = isCoded ? held.gzip() : held.bytes
      headers[.contentLength] = String(bytes.readableBytes)
      let body = isHead ? ResponseBody() : Self.body(bytes, of: held, admission)
      return Response(status: status, headers: headers, body: body)
    case .stream(let write):
      // Nobody knows the length; an empty body would say 0.
      let none = ResponseBody { try await $0.finish(nil) }
      let body = isHead ? none : Self.body(write, isCoded: isCoded, admission)
      return Response(status: status, headers: headers, body: body)
    }
  }

  /// Whether the caller has what this is, as the request says.
  private func isUnchanged(for request: Request) -> Bool {
    guard let tag = tag(isGzip: false), status == .ok,
      request.method == .get || request.method == .head, let text = request.headers[.ifNoneMatch]
    else { return false }
    return EntityTagCondition(text)?.matches(tag) ?? false
  }

  private var isWorthCoding: Bool {
    switch body {
    case .empty: false
    case .held(let held): held.isWorthCoding
    case .stream: mediaType != MediaTypes.events
    }
  }

  private func described(_ isPublic: Bool) -> HTTPFields {
    var headers = headers
    headers[.contentType] = mediaType
    headers[.cacheControl] = caching.header(isPublic: isPublic)
    headers[.vary] = isPublic ? "Accept-Encoding" : "Accept-Encoding, Authorization"
    headers[.xContentTypeOptions] = "nosniff"
    return headers
  }

  private static func body(
    _ bytes: ByteBuffer, of held: HeldBody, _ admission: Admission?
  ) -> ResponseBody {
    guard bytes.readableBytes > pieceByteCount else { return ResponseBody(byteBuffer: bytes) }
    // Piece by piece, so that it shows whether the reader goes on reading.
    return ResponseBody(contentLength: bytes.readableBytes) { writer in
      defer { withExtendedLifetime(held) {} }
      var rest = bytes
      while let piece = rest.readSlice(length: min(pieceByteCount, rest.readableBytes)),
        piece.readableBytes > 0
      {
        try admission?()
        try await writer.write(piece)
      }
      try await writer.finish(nil)
    }
  }

  private static let pieceByteCount = 1 << 17

  private static func body(
    _ write: @escaping @Sendable (inout BodyWriter) async throws -> Void, isCoded: Bool,
    _ admission: Admission?
  ) -> ResponseBody {
    ResponseBody { writer in
      var body = BodyWriter(writer, isCoded: isCoded, admission)
      try await write(&body)
      try await body.finish()
    }
  }
}

extension Response {
  /// A response that has no body whatever was asked, and so says no length either.
  fileprivate static func bodiless(
    _ status: HTTPResponse.Status, _ headers: HTTPFields
  ) -> Response {
    var response = Response(status: status, headers: headers)
    response.headers[.contentLength] = nil
    return response
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
