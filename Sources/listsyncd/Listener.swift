import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import SyncServer

/// Listens on the server's address or Unix socket, within its bounds.
struct Listener {
  let server: SyncServer
  let address: AddressOptions
  let bounds: BoundOptions
  /// Nil without TLS.
  let certificate: ServerCertificate?
  /// How many connections are open at once.
  let connectionCount: Int
  let logger: Logger
  /// Receives the address before the first connection.
  let onListening: @Sendable (String) -> Void

  /// - Throws: `StartError.cannotListen` if another program listens on the Unix socket.
  func application() async throws -> some Service {
    if let path = address.unixSocket { try await checkSocketIsFree(path) }
    let bindAddress: BindAddress =
      if let path = address.unixSocket { .unixDomainSocket(path: path) } else {
        .hostname(address.host, port: address.port)
      }
    let application = Application(
      responder: server.responder(),
      server: try builder(),
      configuration: ApplicationConfiguration(
        address: bindAddress,
        availableConnectionsDelegate: MaximumAvailableConnections(connectionCount, logger: logger)),
      onServerRunning: { channel in
        await addAcceptPause(to: channel)
        let place = address.place(port: channel.localAddress?.port)
        let url = address.unixSocket == nil ? "\(scheme)://\(place)" : place
        // Programs that start a server on a free port read this line.
        LineQueue.output.write("listening on \(url)")
        onListening(url)
      },
      logger: logger.ofLibraries)
    return ListeningService(application: application, place: address.place(port: address.port))
  }

  private var scheme: String { certificate == nil ? "http" : "https" }

  /// The library replaces a file of a socket, also that of a server that runs.
  private func checkSocketIsFree(_ path: String) async throws {
    let client = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
    guard let channel = try? await client.connect(unixDomainSocketPath: path).get() else { return }
    try await channel.close()
    throw StartError.cannotListen(
      place: address.place(port: nil), reason: "another program listens there",
      advice: "End it, or name another file with --unix-socket.")
  }

  private func addAcceptPause(to channel: any Channel) async {
    let logger = logger
    try? await channel.eventLoop.submit {
      try channel.pipeline.syncOperations.addHandler(AcceptPause(logger: logger), position: .first)
    }.get()
  }

  private func builder() throws -> HTTPServerBuilder {
    let plain = ConnectionBounds(idleTime: .seconds(Int64(bounds.idleSeconds))).connections
    guard let certificate else { return plain }
    return try .tls(plain, tlsConfiguration: certificate.configuration)
  }
}

/// Serves until the server ends, and explains why it cannot listen.
private struct ListeningService<Base: Service>: Service {
  let application: Base
  let place: String

  func run() async throws {
    do {
      try await application.run()
    } catch {
      throw StartError(error, listeningOn: place) ?? error
    }
  }
}

extension StartError {
  /// Nil for an error that is not about an address.
  fileprivate init?(_ error: any Error, listeningOn place: String) {
    let (reason, advice): (String, String?)
    switch error {
    case let error as IOError:
      reason = String(cString: strerror(error.errnoCode))
      advice =
        switch error.errnoCode {
        case EADDRINUSE: "Another program may use the port: choose another one with --port."
        case EADDRNOTAVAIL: "Name an address of this machine with --host."
        case EACCES: "Choose a port from 1024 on, or a folder in which the server's user may write."
        case ENOENT: "Make the folder of the socket first."
        default: nil
        }
    case is SocketAddressError.UnknownHost:
      reason = "the host is unknown"
      advice = "Name an address of this machine with --host, or 0.0.0.0 for all."
    case SocketAddressError.unixDomainSocketPathTooLong:
      (reason, advice) = ("the path is too long", "Name a path of at most 100 bytes.")
    case is UnixDomainSocketPathWrongType:
      (reason, advice) = ("the file is no socket", "Remove it, or name another one.")
    default: return nil
    }
    self = .cannotListen(place: place, reason: reason, advice: advice)
  }
}

extension Logger {
  /// Leaves out the libraries' own lines about start and end at the level info.
  var ofLibraries: Logger {
    var logger = self
    if logLevel == .info { logger.logLevel = .notice }
    return logger
  }
}
