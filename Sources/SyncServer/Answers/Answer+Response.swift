import Gzip
import HTTPTypes
import Hummingbird
import ListDocuments
import NIOCore

/// Applies the protocol to an answer: conditions, codings, HEAD, and headers for caches.
extension Answer {
  /// - Parameter isPublic: whether every caller may see the answer, so that shared caches may keep
  ///   it.
  func response(to request: Request, isPublic: Bool) -> Response {
    var headers = headers
    headers[.cacheControl] = caching.header(isPublic: isPublic)
    headers[.vary] =
      (variesWithAccept ? "Accept, " : "") + "Accept-Encoding" + (isPublic ? "" : ", Authorization")
    headers[.xContentTypeOptions] = "nosniff"
    if isUnchanged(for: request) {
      headers[.eTag] = tag(isGzip: false)?.description
      return .bodiless(.notModified, headers)
    }
    headers[.contentType] = mediaType
    let isCoded = isWorthCoding && Self.acceptsGzip(request.headers[.acceptEncoding])
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
      let admission = admission
      let body = ResponseBody { writer in
        // The length is unknown, so HEAD has a body without a length too.
        if isHead { return try await writer.finish(nil) }
        var body = BodyWriter(writer, isCoded: isCoded, admission)
        try await write(&body)
        try await body.finish()
      }
      return Response(status: status, headers: headers, body: body)
    }
  }

  /// The body that a response would code, if coding it takes long.
  func bodyToCode(for request: Request) -> HeldBody? {
    guard case .held(let body) = body, body.byteCount > HeldBody.longByteCount, !body.isCoded,
      isWorthCoding, Self.acceptsGzip(request.headers[.acceptEncoding]), !isUnchanged(for: request)
    else { return nil }
    return body
  }

  /// Whether the request's condition says that the caller has this answer.
  private func isUnchanged(for request: Request) -> Bool {
    guard let tag = tag(isGzip: false), status == .ok,
      request.method == .get || request.method == .head, let text = request.headers[.ifNoneMatch]
    else { return false }
    return EntityTagCondition(text)?.matches(tag) ?? false
  }

  private var isWorthCoding: Bool {
    switch body {
    case .empty: false
    case .held(let held): held.byteCount >= HeldBody.leastCodedByteCount
    case .stream: mediaType != MediaTypes.events
    }
  }

  /// Whether an `Accept-Encoding` allows gzip (RFC 9110, 12.5.3).
  static func acceptsGzip(_ text: String?) -> Bool {
    var (named, star): (Bool?, Bool?) = (nil, nil)
    for entry in (text ?? "").lowercased().split(separator: ",") {
      let words = entry.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      let isRefused = words.dropFirst().contains { parameter in
        parameter.hasPrefix("q=") && Double(parameter.dropFirst(2)) == 0
      }
      switch words.first {
      case "gzip", "x-gzip": named = !isRefused
      case "*": star = !isRefused
      default: break
      }
    }
    return named ?? star ?? false
  }

  private static func body(
    _ bytes: ByteBuffer, of held: HeldBody, _ admission: Admission?
  ) -> ResponseBody {
    guard bytes.readableBytes > pieceByteCount else { return ResponseBody(byteBuffer: bytes) }
    // In pieces, so that the connection can see whether the reader still reads.
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
}

extension Response {
  /// A response without a body and without a length.
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
    let scope = isPublic ? "public" : "private"
    return switch self {
    case .immutable: "\(scope), max-age=31536000, immutable"
    case .revalidated: "\(scope), no-cache"
    case .never: "no-store"
    }
  }
}
