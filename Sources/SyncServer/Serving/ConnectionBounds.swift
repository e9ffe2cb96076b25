import NIOCore

/// What keeps a client from holding a connection without using it.
public enum ConnectionBounds {
  /// The handlers of one connection, which stand between the parts of HTTP and the requests.
  ///
  /// - Parameter stallLimit: how long a reader may take nothing of its answer.
  public static func handlers(stallLimit: TimeAmount) -> [any RemovableChannelHandler] {
    [StalledReaders(limit: stallLimit), UnreadBodies(limit: unreadBodyLimit)]
  }

  private static let unreadBodyLimit = TimeAmount.seconds(5)
}
