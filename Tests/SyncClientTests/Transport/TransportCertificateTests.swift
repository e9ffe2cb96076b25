import Foundation
import LocalFiles
import NIOCore
import NIOPosix
import NIOSSL
import TestSupport
import Testing

@testable import SyncClient
@testable import SyncClientHTTP

/// A server with a certificate that is signed by itself, once trusted and once not.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct TransportCertificateTests {
  /// For `localhost`, self-signed until 2126, and made only for this test.
  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBlDCCATugAwIBAgIUTaL2WPXOwaV+Zr6eAKI2n/IU630wCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjEwMTYzOFoYDzIxMjYxMDI5
    MTAxNjM4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAARHmgiskURwqBZWwphWO59VYcZreihQoAEy+6lKhkEDlu/bqYLUCmPD
    ZE10ncK/iGNVMDuhaHMMHRZVLgpqj191o2kwZzAdBgNVHQ4EFgQU7KM1DULjZyb4
    rJ6a2A7xKLp0mQEwHwYDVR0jBBgwFoAU7KM1DULjZyb4rJ6a2A7xKLp0mQEwDwYD
    VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
    RwAwRAIgNLBJTaG6ov9xQ6qkgT+DN8S1kx1kgyKRrSZ6AjRtqaACIFxMRdPVD/At
    HSdDvBzAebrDzeWSZzOgAOLuxsB0mYjW
    -----END CERTIFICATE-----
    """

  private static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSWQ7x/1YIXoT9l5j
    t45T14YQRTQ+Kx09ICAC+aAsf2GhRANCAARHmgiskURwqBZWwphWO59VYcZreihQ
    oAEy+6lKhkEDlu/bqYLUCmPDZE10ncK/iGNVMDuhaHMMHRZVLgpqj191
    -----END PRIVATE KEY-----
    """

  /// Sends the same answer for all that it receives.
  private final class Answerer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let answer = ByteBuffer(string: "HTTP/1.1 304 Not Modified\r\n\r\n")
      context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }
  }

  private static func serve() async throws -> any Channel {
    let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8))
    let configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)))
    let context = try NIOSSLContext(configuration: configuration)
    return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(
            NIOSSLServerHandler(context: context), Answerer())
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  /// The status of an answer of the server, by one of its names.
  private func status(
    of server: any Channel, as host: String, trusting authorities: String? = nil
  ) async throws -> Int {
    let port = try #require(server.localAddress?.port)
    var transport = HTTPTransport(
      try ServerAddress("https://\(host):\(port)"), options: TransportOptions(token: "lst_secret"))
    transport.authorities = authorities
    return try await transport.send(TransportKind.request).status
  }

  @Test func serverWithAnUntrustedCertificateReceivesNoRequest() async throws {
    let server = try await Self.serve()
    let reason = "it is not signed by an authority that this machine trusts, or it has expired"
    await #expect(throws: Unavailability.untrusted(reason: reason)) {
      try await status(of: server, as: "localhost")
    }
    try await server.close()
  }

  @Test func trustedServerIsAskedByTheNameOfItsCertificateAlone() async throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let authorities = folder.appendingPathComponent("authorities.pem")
    try Data(Self.certificate.utf8).write(to: authorities)
    let server = try await Self.serve()
    for _ in 0..<2 {
      #expect(try await status(of: server, as: "localhost", trusting: authorities.path) == 304)
    }
    await #expect(throws: Unavailability.untrusted(reason: "it is for another host")) {
      try await status(of: server, as: "127.0.0.1", trusting: authorities.path)
    }
    // The connection of an exchange that trusts the server serves no other.
    await #expect(throws: Unavailability.self) { try await status(of: server, as: "localhost") }
    try await server.close()
  }
}
