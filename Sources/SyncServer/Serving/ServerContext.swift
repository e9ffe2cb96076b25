import Hummingbird
import Logging

/// What belongs to one request beside its bytes.
public struct ServerContext: RequestContext {
  public var coreContext: CoreRequestContextStorage
  /// Whether a connection carries the request; false where it is answered in process.
  let isConnected: Bool

  public init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    isConnected = true
  }

  /// For a request that comes over no connection.
  package init(logger: Logger) {
    coreContext = CoreRequestContextStorage(source: InProcessSource(logger: logger))
    isConnected = false
  }

  private struct InProcessSource: RequestContextSource {
    let logger: Logger
  }
}
