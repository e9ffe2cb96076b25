import NIOCore
import NIOHTTP1

/// Corrects the framing of answers where the layers around it break the rules of HTTP.
///
/// - HTTP/1.0 has no chunks: its answer ends with the connection.
/// - A connection ends after an answer with `Connection: close`, and a client that asks for this
///   end gets such an answer.
/// - An answer to HEAD without a length ends with its headers. A client would read an empty chunk
///   as the beginning of the next answer.
/// - A connection that ends with an answer is closed when the answer is written. The reader may be
///   slow, or have closed its own side already.
/// - Invalid HTTP is answered once, with a problem; not at all if its request was answered already.
///
/// Hummingbird 2.28 writes an answer in chunks or with its length, whatever the version of the
/// request and its `Connection` are. This handler can go when it follows both.
///
/// ``PipelinedRequests`` sees to it that the layer above begins no request after the last answer.
///
/// - Source: RFC 9110, 9.3.2; RFC 9112, 6.3 and 9.6.
final class MessageFraming: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// The properties of a request that its answer depends on.
  private struct Asked {
    let isHead: Bool
    let knowsChunks: Bool
    let endsConnection: Bool

    init(_ head: HTTPRequestHead) {
      isHead = head.method == .HEAD
      knowsChunks = head.version.minor >= 1
      endsConnection = !knowsChunks || head.headers.endsConnection
    }
  }

  /// How the current answer is written.
  private enum Course {
    case whole
    case withoutEnd
    /// A second answer to one request.
    case nothing
  }

  /// The requests without an answer, the oldest first.
  private var requests: [Asked] = []
  /// Whether the last request's end has not come yet.
  private var isReading = false
  private var course = Course.whole
  private var endsConnection = false
  /// Whether the last answer of the connection was written; later requests are dropped.
  private var hasEnded = false
  private var isDropping = false
  /// Completes when the last complete answer is written.
  private var lastAnswer: EventLoopFuture<Void>?

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isDropping { return }
    switch unwrapInboundIn(data) {
    case .head where hasEnded:
      isDropping = true
      return
    case .head(var head):
      let asked = Asked(head)
      if !asked.knowsChunks, head.headers.contains(name: "transfer-encoding") {
        return context.fireErrorCaught(HTTPParserError.unexpectedContentLength)
      }
      requests.append(asked)
      isReading = true
      // The layer above recognises only this spelling.
      if asked.endsConnection { head.headers.replaceOrAdd(name: "connection", value: "close") }
      return context.fireChannelRead(wrapInboundOut(.head(head)))
    case .body: break
    case .end: isReading = false
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head):
      if (100..<200).contains(head.status.code) {
        writeInterim(data, context, promise)
      } else if hasEnded {
        course = .nothing
        promise?.succeed()
      } else if requests.isEmpty {
        refuse(context, promise)
      } else {
        write(head, to: requests[0], context, promise)
      }
    case .body:
      if course == .nothing { promise?.succeed() } else { context.write(data, promise: promise) }
    case .end: writeEnd(data, context, promise)
    }
  }

  private func writeInterim(
    _ data: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
  ) {
    guard requests.first?.knowsChunks ?? false else {
      promise?.succeed()
      return
    }
    context.write(data, promise: promise)
  }

  private func write(
    _ head: HTTPResponseHead, to asked: Asked, _ context: ChannelHandlerContext,
    _ promise: EventLoopPromise<Void>?
  ) {
    var head = head
    let hasLength = head.headers.contains(name: "content-length")
    course = asked.isHead && !hasLength ? .withoutEnd : .whole
    endsConnection = asked.endsConnection || head.headers.endsConnection
    if !asked.knowsChunks { head.version = .http1_0 }
    if endsConnection { head.headers.replaceOrAdd(name: "connection", value: "close") }
    context.write(wrapOutboundOut(.head(head)), promise: promise)
  }

  /// Answers an invalid request in place of the empty refusal of the layer above.
  private func refuse(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
    endsConnection = true
    guard !isReading else {
      course = .nothing
      promise?.succeed()
      return
    }
    course = .whole
    let body = Problem.invalid("the bytes are not a request of HTTP/1.1, or its head is too large")
      .document(requestID: nil)
    let headers: HTTPHeaders = [
      "Connection": "close", "Content-Type": MediaTypes.problem, "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff", "Content-Length": "\(body.count)",
    ]
    let head = HTTPResponseHead(version: .http1_1, status: .badRequest, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: promise)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
  }

  private func writeEnd(
    _ data: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
  ) {
    if !requests.isEmpty { requests.removeFirst() }
    let written = promise ?? context.eventLoop.makePromise()
    lastAnswer = written.futureResult
    switch course {
    case .whole: context.write(data, promise: written)
    // No bytes, but it completes after the bytes before it.
    case .withoutEnd:
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: written)
    case .nothing: written.succeed()
    }
    guard endsConnection else { return }
    hasEnded = true
    context.flush()
    // The input stays open: later bytes are read, so that the client can read the whole answer.
    close(context: context, mode: .output, promise: nil)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard mode != .input, let lastAnswer else {
      return context.close(mode: mode, promise: promise)
    }
    let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
    lastAnswer.assumeIsolated().whenComplete { _ in
      loopBound.value.close(mode: mode, promise: promise)
    }
  }
}

extension HTTPHeaders {
  /// Whether the message is the last of its connection.
  var endsConnection: Bool {
    self[canonicalForm: "connection"].contains { $0.lowercased() == "close" }
  }
}
