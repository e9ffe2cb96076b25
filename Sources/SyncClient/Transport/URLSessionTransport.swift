#if canImport(Darwin)
  import Foundation

  /// Requests over URLSession: http and https, HTTP/1.1 or what the system offers, gzip if the
  /// server has it.
  ///
  /// It caches nothing, keeps no cookies and follows no redirections, so that a token goes only to
  /// the server that it is for.
  public final class URLSessionTransport: ReplicaTransport, FileTransport {
    private let address: ServerAddress
    private let options: TransportOptions
    private let session: URLSession

    public init(_ address: ServerAddress, options: TransportOptions = TransportOptions()) {
      self.address = address
      self.options = options
      let configuration = URLSessionConfiguration.ephemeral
      configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
      configuration.urlCache = nil
      configuration.httpShouldSetCookies = false
      configuration.httpCookieAcceptPolicy = .never
      // A watch waits longer than other requests; the sum of both bounds is enough for it.
      configuration.timeoutIntervalForResource = options.totalSeconds + Self.longestWaitSeconds
      session = URLSession(configuration: configuration)
    }

    /// The longest wait of a server: a minute.
    private static let longestWaitSeconds = 60.0

    deinit { session.invalidateAndCancel() }

    public func send(_ request: ReplicaRequest) async throws -> ReplicaResponse {
      var message = try urlRequest(request.target, request.headers, request.waitSeconds)
      message.httpMethod = request.method
      message.httpBody = request.body.map { Data($0) }
      return try await exchange(message)
    }

    public func get(
      _ target: String, headers: [(name: String, value: String)], waitSeconds: Int
    ) async throws -> ReplicaResponse {
      try await exchange(try urlRequest(target, headers, waitSeconds))
    }

    private func exchange(_ request: URLRequest) async throws -> ReplicaResponse {
      do {
        let (bytes, response) = try await session.bytes(
          for: request, delegate: RefusedRedirections())
        guard let response = response as? HTTPURLResponse else {
          throw URLError(.badServerResponse)
        }
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
          if let name = name as? String, let value = value as? String { headers[name] = value }
        }
        let isProblem = response.statusCode >= 300
        return ReplicaResponse(
          status: response.statusCode, headers: headers,
          body: try await body(of: bytes, isProblem: isProblem))
      } catch let error as URLError {
        if error.code == .cancelled { throw CancellationError() }
        throw Unavailability(error)
      }
    }

    private func urlRequest(
      _ target: String, _ headers: [(name: String, value: String)], _ waitSeconds: Int
    ) throws(ReplicaError) -> URLRequest {
      var result = URLRequest(url: try address.url(target))
      result.timeoutInterval = options.idleSeconds + Double(waitSeconds)
      for header in try options.authorized(headers) {
        result.setValue(header.value, forHTTPHeaderField: header.name)
      }
      return result
    }

    /// The body of an answer; empty for a problem document that is too long.
    private func body(
      of bytes: URLSession.AsyncBytes, isProblem: Bool
    ) async throws -> [UInt8] {
      let limit =
        isProblem ? min(options.byteLimit, TransportOptions.problemByteLimit) : options.byteLimit
      var body: [UInt8] = []
      for try await byte in bytes {
        guard body.count < limit else {
          bytes.task.cancel()
          if isProblem { return [] }
          throw ReplicaError.answerTooLong(byteLimit: options.byteLimit)
        }
        body.append(byte)
      }
      return body
    }
  }

  private final class RefusedRedirections: NSObject, URLSessionTaskDelegate {
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
      completionHandler: @escaping (URLRequest?) -> Void
    ) {
      completionHandler(nil)
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
