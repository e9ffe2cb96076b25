import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SyncClient

extension Unavailability {
  /// A failure of the connection, in words for people.
  init(transport error: any Error) {
    switch error {
    case let error as NIOConnectionError: self.init(connecting: error)
    case let error as NIOSSLError: self.init(securing: "\(error)")
    case let error as NIOSSLExtraError: self.init(securing: "\(error)")
    case let error as BoringSSLError: self.init(securing: "\(error)")
    case let error as IOError:
      self = .network(reason: "the connection failed: \(Self.words(error))")
    case HTTPParserError.invalidEOFState: self = .network(reason: Self.cutOff)
    case is HTTPParserError: self = .network(reason: "the answer is not HTTP: \(error)")
    case let error as HTTPClientError: self = .network(reason: Self.words(error))
    case is ChannelError: self = .network(reason: Self.cutOff)
    default: self = .network(reason: "the connection failed: \(error)")
    }
  }

  private static let cutOff = "the server closed the connection before its answer was whole"

  private init(connecting error: NIOConnectionError) {
    guard let failure = error.connectionErrors.first else {
      self = .network(reason: "no host called '\(error.host)' was found")
      return
    }
    self = .network(
      reason: "no connection to \(error.host), port \(error.port): \(Self.cause(failure.error))")
  }

  private static func cause(_ error: any Error) -> String {
    if let error = error as? IOError { return words(error) }
    if case ChannelError.connectTimeout = error { return "no answer" }
    return "\(error)"
  }

  private static func words(_ error: IOError) -> String {
    String(cString: strerror(error.errnoCode))
  }

  private static func words(_ error: HTTPClientError) -> String {
    switch error {
    case .connectTimeout: "no connection within \(HTTPTransport.connectSeconds) s"
    case .tlsHandshakeTimeout: "no secure connection within \(HTTPTransport.connectSeconds) s"
    case .remoteConnectionClosed: cutOff
    default: "the exchange failed: \(error.shortDescription)"
    }
  }

  /// Separates refused certificates from other failures of TLS.
  private init(securing text: String) {
    if text.contains("CERTIFICATE_VERIFY_FAILED") {
      self = .untrusted(
        reason: "it is not signed by an authority that this machine trusts, or it has expired")
    } else if text.lowercased().contains("hostname") || text.contains("unableToValidateCertificate")
    {
      self = .untrusted(reason: "it is for another host")
    } else {
      self = .network(reason: "no secure connection: \(text)")
    }
  }
}
