import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests over URLSession: http and https, HTTP/1.1 or what the system offers, gzip where the
/// server has it.
///
/// Nothing is cached, no cookies are kept, and a redirection is not followed: a token goes to the
/// server that it was given for, and nowhere else.
public final class URLSessionTransport: ReplicaTransport {
  public struct Options: Sendable {
    /// A bearer token (RFC 6750); nil where the server wants none.
    public var token: String?
    /// How long nothing may come, beyond what the server is asked to wait.
    public var idleSeconds: Double
    /// How many bytes an answer may have, once it is unpacked.
    public var byteLimit: Int

    public init(token: String? = nil, idleSeconds: Double = 30, byteLimit: Int = 256 << 20) {
      self.token = token
      self.idleSeconds = idleSeconds
      self.byteLimit = byteLimit
    }
  }

  private let address: ServerAddress
  private let options: Options
  private let exchanges: Exchanges
  private let session: URLSession

  public init(_ address: ServerAddress, options: Options = Options()) {
    self.address = address
    self.options = options
    exchanges = Exchanges(byteLimit: options.byteLimit)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
  }

  deinit { session.invalidateAndCancel() }

  public func send(_ request: ReplicaRequest) async throws -> ReplicaResponse {
    let task = session.dataTask(with: try urlRequest(request))
    defer { exchanges.end(task) }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if exchanges.begin(task, continuation) { task.resume() }
      }
    } onCancel: {
      exchanges.cancel(task)
    }
  }

  private func urlRequest(_ request: ReplicaRequest) throws(ReplicaError) -> URLRequest {
    var result = URLRequest(url: try address.url(request.target))
    result.timeoutInterval = options.idleSeconds + Double(request.waitSeconds)
    for header in request.headers { result.setValue(header.value, forHTTPHeaderField: header.name) }
    if let token = options.token {
      // A line end would begin a header field of its own.
      guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .badToken }
      result.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    }
    return result
  }
}
