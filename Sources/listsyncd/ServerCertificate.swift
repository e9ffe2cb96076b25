import Foundation
import NIOCore
import NIOSSL
import Synchronization

/// The server's certificate and its key, which are read again while the server runs.
///
/// A handshake gets the newest pair that fits. Open connections keep theirs.
final class ServerCertificate: Sendable {
  private struct State {
    /// The bytes of both files when they were read last.
    var texts: [Data]
    var pair: NIOSSLContextConfigurationOverride
  }

  let certificateFile: String
  private let keyFile: String
  private let state: Mutex<State>

  /// - Throws: `StartError.unusableTLSFile` and `StartError.foreignKey`.
  init(certificateFile: String, keyFile: String) throws(StartError) {
    let texts = Self.texts(certificateFile, keyFile)
    let pair = try Self.pair(texts, certificateFile, keyFile)
    (self.certificateFile, self.keyFile) = (certificateFile, keyFile)
    state = Mutex(State(texts: texts, pair: pair))
  }

  var configuration: TLSConfiguration {
    var configuration = Self.configuration(state.withLock { $0.pair })
    configuration.sslContextCallback = { [self] _, promise in
      promise.succeed(state.withLock { $0.pair })
    }
    return configuration
  }

  /// Reads both files again. If they cannot be used, for example since only one of them was
  /// replaced, the former pair stays.
  ///
  /// - Parameter isForced: whether files with the same bytes are used again, too.
  /// - Returns: whether there is a new pair.
  /// - Throws: as `init`, once for the same bytes.
  func readAgain(isForced: Bool) throws(StartError) -> Bool {
    let texts = Self.texts(certificateFile, keyFile)
    let isOld = state.withLock { state in
      defer { state.texts = texts }
      return state.texts == texts
    }
    if isOld, !isForced { return false }
    let pair = try Self.pair(texts, certificateFile, keyFile)
    state.withLock { $0.pair = pair }
    return true
  }

  /// A file that cannot be read counts as empty.
  private static func texts(_ paths: String...) -> [Data] {
    paths.map { FileManager.default.contents(atPath: $0) ?? Data() }
  }

  private static func pair(
    _ texts: [Data], _ certificateFile: String, _ keyFile: String
  ) throws(StartError) -> NIOSSLContextConfigurationOverride {
    var pair = NIOSSLContextConfigurationOverride()
    do {
      let chain = try NIOSSLCertificate.fromPEMBytes(Array(texts[0]))
      pair.certificateChain = chain.map { .certificate($0) }
    } catch {
      throw .unusableTLSFile(path: certificateFile, kind: "certificate")
    }
    do {
      pair.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(texts[1]), format: .pem))
    } catch {
      throw .unusableTLSFile(path: keyFile, kind: "private key")
    }
    do {
      _ = try NIOSSLContext(configuration: configuration(pair))
    } catch {
      throw .foreignKey(certificate: certificateFile, key: keyFile)
    }
    return pair
  }

  private static func configuration(
    _ pair: NIOSSLContextConfigurationOverride
  ) -> TLSConfiguration {
    guard let chain = pair.certificateChain, let key = pair.privateKey else {
      preconditionFailure("a pair has both")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain, privateKey: key)
    configuration.minimumTLSVersion = .tlsv12
    return configuration
  }
}
