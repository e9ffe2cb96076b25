import NIOCore
import NIOPosix
import NIOSSL
import TestSupport
import Testing

@testable import SyncClient

/// A server whose certificate is not trusted.
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

  private static func serve() async throws -> any Channel {
    let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8))
    let configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)))
    let context = try NIOSSLContext(configuration: configuration)
    return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  @Test func serverWithAnUntrustedCertificateReceivesNoRequest() async throws {
    let server = try await Self.serve()
    let port = try #require(server.localAddress?.port)
    let transport = try TransportKind.http.transport(
      to: "https://localhost:\(port)", TransportOptions(token: "lst_secret"))
    let reason = "it is not signed by an authority that this machine trusts, or it has expired"
    await #expect(throws: Unavailability.untrusted(reason: reason)) {
      try await transport.send(TransportKind.request)
    }
    try await server.close()
  }
}
