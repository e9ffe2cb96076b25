import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypesHTTP1

/// Bounds that keep a client from holding a connection without using it.
public struct ConnectionBounds: Sendable {
  /// How long a connection may send nothing of a request.
  public var idleTime: TimeAmount
  /// How long a reader may accept nothing of an answer.
  public var readerTime: TimeAmount
  /// How many bytes a header field may have; all of them may have twice as many.
  public var headerByteLimit = 16 << 10
  public var headerCountLimit = 100
  /// How long the rest of a body may go on coming after its request was answered.
  public var unreadBodyTime = TimeAmount.seconds(5)

  /// A reader has at least two minutes. Its system confirms bytes in steps of about 100 kB, and a
  /// reader of 1 kB/s needs that long for one step.
  public init(idleTime: TimeAmount = .seconds(60)) {
    self.idleTime = idleTime
    readerTime = max(idleTime, .seconds(120))
  }

  /// The connections of a listener, with these bounds.
  public var connections: HTTPServerBuilder {
    HTTPServerBuilder { responder in
      let configuration = HTTP1Channel.Configuration(
        idleTimeout: idleTime,
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: headerByteLimit, maxHeaderListSize: 2 * headerByteLimit,
          maxHeaderFieldCount: headerCountLimit))
      return HTTPConnections(
        base: HTTP1Channel(responder: responder, configuration: configuration), bounds: self)
    }
  }
}

/// Hummingbird's pipeline of a connection with more handlers: bytes below, requests above.
///
///     ReaderProgress ─ (TLS) ─ HTTP/1 coding ─ HTTPExchange ─ ClientWatch ─ HTTP types ─ idle time
///       ─ requests
private struct HTTPConnections: ServerChildChannel {
  let base: HTTP1Channel
  let bounds: ConnectionBounds

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    base.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandlers(
        [HTTPExchange(unreadBodyTime: bounds.unreadBodyTime), ClientWatch()],
        position: .before(pipeline.handler(type: HTTP1ToHTTPServerCodec.self)))
      // It counts the bytes on the wire: before TLS, if there is TLS.
      try pipeline.addHandler(ReaderProgress(limit: bounds.readerTime), position: .first)
      return value
    }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await base.handle(value: value, logger: logger)
  }
}
