import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import SyncServer

/// The socket of a server, with its bounds.
struct Listener {
  let server: SyncServer
  let address: AddressOptions
  let bounds: BoundOptions
  let logger: Logger

  /// - Throws: `UnusableTLSFile`.
  func application() throws -> some Service {
    let scheme = address.certificateFile == nil ? "http" : "https"
    let host = address.host
    return Application(
      responder: server.responder(),
      server: try builder(),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: address.port),
        availableConnectionsDelegate: MaximumAvailableConnections(
          bounds.connectionCount, logger: logger)),
      onServerRunning: { channel in
        let port = channel.localAddress?.port.map { ":\($0)" } ?? ""
        let name = host.contains(":") ? "[\(host)]" : host
        // Programs that start a server on any free port read this line.
        FileHandle.standardOutput.write(Data("listening on \(scheme)://\(name)\(port)\n".utf8))
      },
      logger: logger)
  }

  private func builder() throws -> HTTPServerBuilder {
    let plain = HTTPServerBuilder.http1(
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: ConnectionBounds.handlers(
          stallLimit: .seconds(Int64(bounds.idleSeconds))),
        idleTimeout: .seconds(Int64(bounds.idleSeconds)),
        httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
          maxHeaderFieldSize: Self.headerByteLimit, maxHeaderListSize: 2 * Self.headerByteLimit,
          maxHeaderFieldCount: Self.headerCountLimit)))
    guard let certificateFile = address.certificateFile, let keyFile = address.keyFile else {
      return plain
    }
    return try .tls(plain, tlsConfiguration: Self.configuration(certificateFile, keyFile))
  }

  private static let headerByteLimit = 16 << 10
  private static let headerCountLimit = 100

  private static func configuration(
    _ certificateFile: String, _ keyFile: String
  ) throws -> TLSConfiguration {
    let chain: [NIOSSLCertificateSource]
    do {
      chain = try NIOSSLCertificate.fromPEMFile(certificateFile).map { .certificate($0) }
    } catch {
      throw UnusableTLSFile(path: certificateFile, what: "certificate")
    }
    let key: NIOSSLPrivateKey
    do {
      key = try NIOSSLPrivateKey(file: keyFile, format: .pem)
    } catch {
      throw UnusableTLSFile(path: keyFile, what: "private key")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    return configuration
  }
}

/// A certificate or key that cannot be read as one.
struct UnusableTLSFile: Error {
  let path: String
  let what: String
}
