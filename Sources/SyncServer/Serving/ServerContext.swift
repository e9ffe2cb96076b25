import Hummingbird
import Logging
import NIOCore

/// What belongs to one request beside its bytes.
public struct ServerContext: RequestContext {
  public var coreContext: CoreRequestContextStorage
  /// What carries the request; nil where it is answered in process.
  let connection: (any Channel)?

  public init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    connection = source.channel
  }

  /// For a request that comes over no connection.
  package init(logger: Logger) {
    coreContext = CoreRequestContextStorage(source: InProcessSource(logger: logger))
    connection = nil
  }

  private struct InProcessSource: RequestContextSource {
    let logger: Logger
  }
}
