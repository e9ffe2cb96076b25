import NIOCore

/// What keeps a client from holding a connection without using it, and answers from running into each
/// other.
public enum ConnectionBounds {
  /// The handlers of one connection, which stand between the parts of HTTP and the requests. Every
  /// listener needs them.
  ///
  /// - Parameter stallLimit: how long a reader may take nothing of its answer.
  public static func handlers(stallLimit: TimeAmount) -> [any RemovableChannelHandler] {
    [
      AnswersToHead(), StalledReaders(limit: stallLimit), UnreadBodies(limit: unreadBodyLimit),
    ]
  }

  private static let unreadBodyLimit = TimeAmount.seconds(5)
}
