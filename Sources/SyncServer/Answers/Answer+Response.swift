import Gzip
import HTTPTypes
import Hummingbird
import ListDocuments
import NIOCore

/// Applies the protocol to an answer: conditions, compressions, HEAD, and headers for caches.
extension Answer {
  /// - Parameter isPublic: whether every caller may see the answer, so that shared caches may keep
  ///   it.
  func response(to request: Request, isPublic: Bool) -> Response {
    var headers = headers
    headers[.cacheControl] = caching.header(isPublic: isPublic)
    headers[.vary] =
      (variesWithAccept ? "Accept, " : "") + "Accept-Encoding" + (isPublic ? "" : ", Authorization")
    headers[.xContentTypeOptions] = "nosniff"
    func relative(_ address: String) -> String {
      Address.relative(address, from: request.uri.path)
    }
    headers[.contentLocation] = permanent.map(relative)
    headers[.link] = next.map { "<\(relative($0))>; rel=\"next\"" }
    headers[.location] = location.map(relative)
    if let tag = unchangedTag(for: request) {
      headers[.eTag] = tag.description
      return .bodiless(.notModified, headers)
    }
    headers[.contentType] = mediaType
    let isCompressed = isCompressed(for: request)
    if isCompressed { headers[.contentEncoding] = "gzip" }
    headers[.eTag] = tag(isGzip: isCompressed)?.description
    let isHead = request.method == .head
    switch body {
    case .empty: return .bodiless(status, headers)
    case .buffered(let held):
      let bytes = isCompressed ? held.compressed {} : held.bytes
      headers[.contentLength] = String(bytes.readableBytes)
      let body = isHead ? ResponseBody() : Self.body(bytes, of: held, admission)
      return Response(status: status, headers: headers, body: body)
    case .stream(let write):
      let admission = admission
      // nginx else holds back what comes until it is much, or the end: of events, everything.
      headers[.accelBuffering] = "no"
      let body = ResponseBody { writer in
        // The length is unknown, so HEAD has a body without a length too.
        if isHead { return try await writer.finish(nil) }
        var body = BodyWriter(writer, isCompressed: isCompressed, admission)
        try await write(&body)
        try await body.finish()
      }
      return Response(status: status, headers: headers, body: body)
    }
  }

  /// The body that a response would compress, if that takes long.
  func bodyToCompress(for request: Request) -> BufferedBody? {
    guard case .buffered(let body) = body, body.byteCount > BufferedBody.longByteCount,
      !body.isCompressed,
      isCompressed(for: request), unchangedTag(for: request) == nil
    else { return nil }
    return body
  }

  /// The tag with which the answer would be sent, if the request's condition says that the caller
  /// has it; nil otherwise.
  ///
  /// - Source: RFC 9110, 15.4.5.
  private func unchangedTag(for request: Request) -> EntityTag? {
    guard let plain = tag(isGzip: false), let compressed = tag(isGzip: true), status == .ok,
      request.method == .get || request.method == .head,
      let condition = request.headers[.ifNoneMatch].flatMap({ EntityTagCondition($0) }),
      condition.matches(plain)
    else { return nil }
    // Without a body, only the caller's tag tells whether the answer was compressed.
    if case .empty = body {
      let acceptsGzip = Self.acceptsGzip(request.headers[.acceptEncoding])
      return acceptsGzip && condition.names(compressed) ? compressed : plain
    }
    return isCompressed(for: request) ? compressed : plain
  }

  private func isCompressed(for request: Request) -> Bool {
    isWorthCompressing && Self.acceptsGzip(request.headers[.acceptEncoding])
  }

  private var isWorthCompressing: Bool {
    switch body {
    case .empty: false
    case .buffered(let held): held.byteCount >= BufferedBody.leastCompressedByteCount
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
    _ bytes: ByteBuffer, of held: BufferedBody, _ admission: Admission?
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

extension EntityTagCondition {
  /// Whether a tag is one of those that are named, weak or not.
  fileprivate func names(_ tag: EntityTag) -> Bool {
    if case .tags(let entries) = self { entries.contains { $0.tag == tag } } else { false }
  }
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
