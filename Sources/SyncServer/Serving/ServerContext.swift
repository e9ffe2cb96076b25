import Hummingbird
import Logging
import NIOCore

/// The data of one request beside its bytes.
public struct ServerContext: RequestContext {
  public var coreContext: CoreRequestContextStorage
  /// The connection of the request; nil if it is answered in process.
  let connection: (any Channel)?
  /// The request's name in the log, in problems and in the header `X-Request-Id`.
  ///
  /// Not `id`, which traps if the logger drops metadata.
  var requestID = ""

  public init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    connection = source.channel
  }

  /// For a request that comes over no connection.
  package init(logger: Logger) {
    coreContext = CoreRequestContextStorage(source: InProcessSource(logger: logger))
    connection = nil
  }

  /// The route's address as OpenAPI writes it; `none` if no route matches.
  var route: String { endpointPath ?? "none" }

  private struct InProcessSource: RequestContextSource {
    let logger: Logger
  }
}
