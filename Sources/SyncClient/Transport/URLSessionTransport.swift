#if canImport(Darwin)
  import Foundation

  /// Requests over URLSession: http and https, HTTP/1.1 or what the system offers, gzip where the
  /// server has it.
  ///
  /// Nothing is cached, no cookies are kept, and a redirection is not followed: a token goes to the
  /// server that it was given for, and nowhere else.
  public final class URLSessionTransport: ReplicaTransport {
    private let address: ServerAddress
    private let options: TransportOptions
    private let exchanges: Exchanges
    private let session: URLSession

    public init(_ address: ServerAddress, options: TransportOptions = TransportOptions()) {
      self.address = address
      self.options = options
      exchanges = Exchanges(byteLimit: options.byteLimit)
      let configuration = URLSessionConfiguration.ephemeral
      configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
      configuration.urlCache = nil
      configuration.httpShouldSetCookies = false
      configuration.httpCookieAcceptPolicy = .never
      // A watch waits longer than other requests; the sum of both bounds is enough for it.
      configuration.timeoutIntervalForResource = options.totalSeconds + Self.longestWaitSeconds
      session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    /// Servers wait a minute at the most.
    private static let longestWaitSeconds = 60.0

    deinit { session.invalidateAndCancel() }

    public func send(_ request: ReplicaRequest) async throws -> ReplicaResponse {
      let task = session.dataTask(with: try urlRequest(request))
      defer { exchanges.end(task) }
      do {
        return try await withTaskCancellationHandler {
          try await withCheckedThrowingContinuation { continuation in
            if exchanges.begin(task, continuation) { task.resume() }
          }
        } onCancel: {
          exchanges.cancel(task)
        }
      } catch let error as URLError {
        throw Unavailability(error)
      }
    }

    private func urlRequest(_ request: ReplicaRequest) throws(ReplicaError) -> URLRequest {
      var result = URLRequest(url: try address.url(request.target))
      result.timeoutInterval = options.idleSeconds + Double(request.waitSeconds)
      for header in try options.headers(of: request) {
        result.setValue(header.value, forHTTPHeaderField: header.name)
      }
      return result
    }
  }

  extension Unavailability {
    fileprivate init(_ error: URLError) {
      switch error.code {
      case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateNotYetValid,
        .serverCertificateHasUnknownRoot, .clientCertificateRejected, .clientCertificateRequired:
        self = .untrusted(reason: error.localizedDescription)
      default: self = .network(reason: error.localizedDescription)
      }
    }
  }
#endif
