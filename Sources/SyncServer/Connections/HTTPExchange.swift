import NIOCore
import NIOHTTP1

/// The requests and answers of a connection, in the order and the framing that HTTP/1 demands.
///
/// NIO and Hummingbird 2.28 break these rules. This handler restores them below Hummingbird, and
/// can go when they follow all of them:
///
/// - A request is begun when the answer to the one before it is written (RFC 9112, 9.3.2).
/// - A connection ends after an answer with `Connection: close`. A client that asks for this end
///   gets such an answer (RFC 9112, 9.6).
/// - Nothing after such an answer is a request. After a refusal, the server and a proxy may
///   disagree where the refused request ends, so the next bytes may be somebody else's (RFC 9112,
///   9.6 and 11.2).
/// - The rest of a refused body is read and dropped, so that the client can read the answer, but
///   only for a limited time (RFC 9112, 9.6).
/// - HTTP/1.0 has neither chunks nor interim answers. Its answer ends with the connection (RFC
///   9112, 6.1 and 6.3; RFC 9110, 15.2).
/// - An answer to HEAD ends with its headers, also without a length. A client would read an empty
///   chunk as the beginning of the next answer (RFC 9110, 9.3.2).
/// - Invalid HTTP gets one answer, a problem; none if its request was answered already.
/// - A connection is closed when its last answer is written, however slow the reader is.
final class HTTPExchange: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// Fired as soon as the client has closed its sending side. `ChannelEvent.inputClosed` follows
  /// behind the waiting requests.
  struct InputClosed {}

  /// The state of the connection. All state belongs to the channel's event loop.
  private enum Phase {
    case ready
    /// A request was passed, and the end of its answer was not written yet.
    case answering(Asked)
    /// The last answer was written, or the connection was closed.
    case ended
  }

  /// The properties of a request and its answer on which the framing depends.
  private struct Asked {
    var isHead = false
    var knowsChunks = true
    var endsConnection = true
    /// Whether the answer has nothing behind its headers.
    var endsWithHeaders = false
  }

  private enum Input {
    case part(HTTPServerRequestPart)
    case closed
    case failure(any Error)
  }

  private var phase = Phase.ready
  /// Whether the end of the last passed request has not come yet.
  private var isReadingRequest = false
  /// Whether a request came that must not be passed; nothing is passed after it.
  private var isDropping = false
  /// The input behind the request that is being answered, in its order. Nothing is read while there
  /// is any, so these are the parts of one reading.
  private var waiting: CircularBuffer<Input> = []
  private var holdsRead = false
  /// Completes when the last complete answer is written.
  private var lastAnswer: EventLoopFuture<Void>?
  private let unreadBodyTime: TimeAmount
  private var closing: Scheduled<Void>?

  /// - Parameter unreadBodyTime: how long the rest of a body may come after its request was
  ///   answered.
  init(unreadBodyTime: TimeAmount) { self.unreadBodyTime = unreadBodyTime }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard mode != .input else { return context.close(mode: mode, promise: promise) }
    phase = .ended
    guard let lastAnswer else { return context.close(mode: mode, promise: promise) }
    let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
    lastAnswer.assumeIsolated().whenComplete { _ in
      loopBound.value.close(mode: mode, promise: promise)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    phase = .ended
    waiting = []
    closing?.cancel()
    context.fireChannelInactive()
  }
}

// MARK: Requests

extension HTTPExchange {
  func read(context: ChannelHandlerContext) {
    if waiting.isEmpty { context.read() } else { holdsRead = true }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    receive(.part(unwrapInboundIn(data)), context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard let event = event as? ChannelEvent, event == .inputClosed else {
      return context.fireUserInboundEventTriggered(event)
    }
    context.fireUserInboundEventTriggered(InputClosed())
    receive(.closed, context)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    receive(.failure(error), context)
  }

  private func receive(_ input: Input, _ context: ChannelHandlerContext) {
    if waiting.isEmpty, !mustWait(input) { pass(input, context) } else { waiting.append(input) }
  }

  /// Whether an input begins a request while another one is being answered.
  private func mustWait(_ input: Input) -> Bool {
    if case .part(.head) = input, case .answering = phase { true } else { false }
  }

  private func pass(_ input: Input, _ context: ChannelHandlerContext) {
    switch input {
    case .closed: context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    case .failure(let error): context.fireErrorCaught(error)
    case .part where isDropping: break
    case .part(.head(let head)): pass(head, context)
    case .part(let part):
      if case .end = part {
        isReadingRequest = false
        closing?.cancel()
      }
      context.fireChannelRead(wrapInboundOut(part))
    }
  }

  private func pass(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let knowsChunks = head.version.minor >= 1
    let isValid = knowsChunks || !head.headers.contains(name: "transfer-encoding")
    guard isValid, case .ready = phase else {
      isDropping = true
      if !isValid { context.fireErrorCaught(HTTPParserError.unexpectedContentLength) }
      return
    }
    var head = head
    let asked = Asked(
      isHead: head.method == .HEAD, knowsChunks: knowsChunks,
      endsConnection: !knowsChunks || head.headers.endsConnection)
    (phase, isReadingRequest) = (.answering(asked), true)
    // Hummingbird recognises only this spelling.
    if asked.endsConnection { head.headers.replaceOrAdd(name: "connection", value: "close") }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  /// Passes the waiting input when the layers above have finished the present answer, which may be
  /// the last one.
  private func passWaiting(_ context: ChannelHandlerContext) {
    let loopBound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    context.eventLoop.execute {
      let (handler, context) = loopBound.value
      while let next = handler.waiting.first, !handler.mustWait(next) {
        handler.waiting.removeFirst()
        handler.pass(next, context)
      }
      context.fireChannelReadComplete()
      if handler.waiting.isEmpty, handler.holdsRead {
        handler.holdsRead = false
        context.read()
      }
    }
  }
}

// MARK: Answers

extension HTTPExchange {
  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch (unwrapOutboundIn(data), phase) {
    case (.head(let head), .answering(let asked)):
      let isInterim = (100..<200).contains(head.status.code)
      if !isInterim { return begin(head, asked, context, promise) }
      if asked.knowsChunks { context.write(data, promise: promise) } else { promise?.succeed() }
    case (.body, .answering): context.write(data, promise: promise)
    case (.end, .answering(let asked)): end(data, asked, context, promise)
    case (.head, .ready): refuse(context, promise)
    // A second answer to one request.
    case (_, .ready), (_, .ended): promise?.succeed()
    }
  }

  private func begin(
    _ head: HTTPResponseHead, _ asked: Asked, _ context: ChannelHandlerContext,
    _ promise: EventLoopPromise<Void>?
  ) {
    var (head, asked) = (head, asked)
    asked.endsWithHeaders = asked.isHead && !head.headers.contains(name: "content-length")
    asked.endsConnection = asked.endsConnection || head.headers.endsConnection
    phase = .answering(asked)
    if !asked.knowsChunks { head.version = .http1_0 }
    if asked.endsConnection { head.headers.replaceOrAdd(name: "connection", value: "close") }
    context.write(wrapOutboundOut(.head(head)), promise: promise)
  }

  /// Answers an invalid request in place of Hummingbird's empty refusal.
  private func refuse(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
    guard !isReadingRequest else {
      promise?.succeed()
      context.flush()
      return close(context: context, mode: .output, promise: nil)
    }
    (phase, isReadingRequest) = (.answering(Asked()), true)
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

  private func end(
    _ data: NIOAny, _ asked: Asked, _ context: ChannelHandlerContext,
    _ promise: EventLoopPromise<Void>?
  ) {
    let written = promise ?? context.eventLoop.makePromise()
    lastAnswer = written.futureResult
    // No bytes, but it completes after the bytes before it.
    let nothing = wrapOutboundOut(.body(.byteBuffer(ByteBuffer())))
    context.write(asked.endsWithHeaders ? nothing : data, promise: written)
    if isReadingRequest {
      let channel = context.channel
      closing = context.eventLoop.scheduleTask(in: unreadBodyTime) { channel.close(promise: nil) }
    }
    phase = .ready
    if !waiting.isEmpty { passWaiting(context) }
    guard asked.endsConnection else { return }
    context.flush()
    // The input stays open: later bytes are read, so that the client can read the whole answer.
    close(context: context, mode: .output, promise: nil)
  }
}

extension HTTPHeaders {
  /// Whether the message is the last of its connection.
  fileprivate var endsConnection: Bool {
    self[canonicalForm: "connection"].contains { $0.lowercased() == "close" }
  }
}
