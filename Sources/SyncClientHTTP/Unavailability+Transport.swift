import Foundation
import SyncClient

/// The end of a transfer that libcurl reports as failed.
struct TransferFailure {
  let code: CInt
  /// The error of the system; 0 for none.
  let osError: CInt
  /// Whether the chain of the server's certificate was found to be good.
  let isChainTrusted: Bool
  /// The words of libcurl.
  let text: String
  let host: String
  let port: Int

  /// - Source: `CURLcode` in curl/curl.h
  enum Code {
    static let unsupportedProtocol: CInt = 1
    static let couldntResolveHost: CInt = 6
    static let couldntConnect: CInt = 7
    static let weirdServerReply: CInt = 8
    static let partialFile: CInt = 18
    static let operationTimedOut: CInt = 28
    static let sslConnectError: CInt = 35
    static let gotNothing: CInt = 52
    static let sslCipher: CInt = 59
    static let peerFailedVerification: CInt = 60
    static let sslCACertBadFile: CInt = 77
  }
}

extension Unavailability {
  static let cutOff = network(
    reason: "the server closed the connection before its answer was whole")

  /// A failure of the connection, in words for people.
  init(_ failure: TransferFailure) {
    typealias Code = TransferFailure.Code
    let place = "\(failure.host), port \(failure.port)"
    let words = failure.osError == 0 ? failure.text : String(cString: strerror(failure.osError))
    switch failure.code {
    case Code.couldntResolveHost:
      self = .network(reason: "no host called '\(failure.host)' was found")
    case Code.couldntConnect: self = .network(reason: "no connection to \(place): \(words)")
    case Code.operationTimedOut:
      self = .network(reason: "no connection to \(place) within \(HTTPTransport.connectSeconds) s")
    case Code.partialFile, Code.gotNothing: self = .cutOff
    case Code.unsupportedProtocol, Code.weirdServerReply:
      self = .network(reason: "the answer is not HTTP: \(failure.text)")
    case Code.peerFailedVerification where failure.isChainTrusted:
      self = .untrusted(reason: "it is for another host")
    case Code.peerFailedVerification:
      self = .untrusted(
        reason: "it is not signed by an authority that this machine trusts, or it has expired")
    case Code.sslConnectError, Code.sslCipher, Code.sslCACertBadFile:
      self = .network(reason: "no secure connection: \(failure.text)")
    default: self = .network(reason: "the connection failed: \(words)")
    }
  }
}
