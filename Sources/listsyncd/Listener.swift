import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import SyncServer

/// Listens on the server's address, within its bounds.
struct Listener {
  let server: SyncServer
  let address: AddressOptions
  let bounds: BoundOptions
  /// How many connections are open at once.
  let connectionCount: Int
  let logger: Logger
  /// Receives the address before the first connection.
  let onListening: @Sendable (String) -> Void

  /// - Throws: `StartError.unusableTLSFile`.
  func application() throws -> some Service {
    let scheme = address.certificateFile == nil ? "http" : "https"
    let host = address.host
    return Application(
      responder: server.responder(),
      server: try builder(),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: address.port),
        availableConnectionsDelegate: MaximumAvailableConnections(connectionCount, logger: logger)),
      onServerRunning: { channel in
        await addAcceptPause(to: channel)
        let port = channel.localAddress?.port.map { ":\($0)" } ?? ""
        let name = host.contains(":") ? "[\(host)]" : host
        // Programs that start a server on a free port read this line.
        LineQueue.output.write("listening on \(scheme)://\(name)\(port)")
        onListening("\(scheme)://\(name)\(port)")
      },
      logger: logger.ofLibraries)
  }

  private func addAcceptPause(to channel: any Channel) async {
    let logger = logger
    try? await channel.eventLoop.submit {
      try channel.pipeline.syncOperations.addHandler(AcceptPause(logger: logger), position: .first)
    }.get()
  }

  private func builder() throws -> HTTPServerBuilder {
    let plain = ConnectionBounds(idleTime: .seconds(Int64(bounds.idleSeconds))).connections
    guard let certificateFile = address.certificateFile, let keyFile = address.keyFile else {
      return plain
    }
    return try .tls(plain, tlsConfiguration: Self.configuration(certificateFile, keyFile))
  }

  private static func configuration(
    _ certificateFile: String, _ keyFile: String
  ) throws -> TLSConfiguration {
    let chain: [NIOSSLCertificateSource]
    do {
      chain = try NIOSSLCertificate.fromPEMFile(certificateFile).map { .certificate($0) }
    } catch {
      throw StartError.unusableTLSFile(path: certificateFile, kind: "certificate")
    }
    let key: NIOSSLPrivateKey
    do {
      key = try NIOSSLPrivateKey(file: keyFile, format: .pem)
    } catch {
      throw StartError.unusableTLSFile(path: keyFile, kind: "private key")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    return configuration
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
