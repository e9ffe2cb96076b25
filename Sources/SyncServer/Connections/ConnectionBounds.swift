import HummingbirdCore
import NIOCore

/// What keeps a client from holding a connection without using it.
public struct ConnectionBounds: Sendable {
  /// How long a connection may send nothing of a request.
  public var idleTime: TimeAmount
  /// How long a connection may take nothing of an answer.
  public var readerTime: TimeAmount
  /// How many bytes a header field may have; all of them may have twice as many.
  public var headerByteLimit = 16 << 10
  public var headerCountLimit = 100
  /// How long the rest of a body may go on coming after its request was answered.
  public var unreadBodyTime = TimeAmount.seconds(5)

  /// A reader has two minutes at least: its system confirms bytes in steps of about 100 kB, which a
  /// reader of 1 kB/s needs that long for.
  public init(idleTime: TimeAmount = .seconds(60)) {
    self.idleTime = idleTime
    readerTime = max(idleTime, .seconds(120))
  }

  /// The connections of a listener, with these bounds.
  public var connections: HTTPServerBuilder {
    HTTPServerBuilder { responder in HTTPConnections(responder: responder, bounds: self) }
  }
}
