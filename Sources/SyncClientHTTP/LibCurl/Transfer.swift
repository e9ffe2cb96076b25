import CLibCurl
import Foundation
import SyncClient
import Synchronization

/// A request as libcurl needs it.
struct TransferRequest: Sendable {
  let url: URL
  let headers: [(name: String, value: String)]
  let method: String
  /// Nil for a request without a body.
  let body: [UInt8]?
  /// As in `HTTPTransport`.
  let authorities: String?

  var host: String { url.host() ?? "" }
  var port: Int { url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) }
}

/// An exchange in progress. It ends once, by `end(_:)`.
///
/// Unchecked because only the thread of the transfers uses it after its creation.
final class Transfer: @unchecked Sendable {
  let cancellation: Cancellation
  private(set) var limits: ExchangeLimits
  private let request: TransferRequest
  private let continuation: CheckedContinuation<ReplicaResponse, any Error>
  private var answer: ReceivedAnswer
  private var isSent = false
  /// The error with which a callback has stopped the transfer.
  private var failure: (any Error)?
  /// libcurl writes its words for an error here.
  private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: errorTextSize)

  /// libcurl begins with 1. OpenSSL's faults of a chain are higher numbers, and those of GnuTLS
  /// have the bit for 2.
  private static let noFaultOfAChain = 1

  /// CURL_ERROR_SIZE.
  private static let errorTextSize = 256

  init(
    _ request: TransferRequest, within limits: ExchangeLimits, byteLimit: Int,
    _ cancellation: Cancellation, _ continuation: CheckedContinuation<ReplicaResponse, any Error>
  ) {
    (self.request, self.limits, self.cancellation) = (request, limits, cancellation)
    (self.continuation, answer) = (continuation, ReceivedAnswer(byteLimit: byteLimit))
    errorText.initialize(repeating: 0, count: Self.errorTextSize)
  }

  deinit { errorText.deallocate() }

  /// The reason to stop the transfer now; nil if there is none.
  func reasonToStop(at now: ContinuousClock.Instant) -> (any Error)? {
    cancellation.isCancelled ? CancellationError() : limits.excess(at: now)
  }

  func end(_ result: Result<ReplicaResponse, any Error>) { continuation.resume(with: result) }

  /// The result of a transfer that libcurl has ended.
  func result(_ code: CInt, of easy: LibCurl.Handle, _ curl: LibCurl) -> Result<
    ReplicaResponse, any Error
  > {
    if let failure { return .failure(failure) }
    if code == 0 || answer.hasStatusAlone { return Result { try answer.response() } }
    let text = String(cString: errorText)
    return .failure(
      Unavailability(
        TransferFailure(
          code: code, osError: CInt(truncatingIfNeeded: curl.number(.osErrno, of: easy)),
          isChainTrusted: curl.number(.sslVerifyResult, of: easy) <= Self.noFaultOfAChain,
          text: text.isEmpty ? curl.text(of: code) : text, host: request.host, port: request.port)))
  }
}

extension Transfer {
  /// Sets all options, also those that are libcurl's defaults, since tokens depend on them.
  ///
  /// - Parameter headers: a list of libcurl, which has to exist as long as the handle.
  func prepare(_ easy: LibCurl.Handle, _ headers: LibCurl.Handle, _ curl: LibCurl) throws {
    try curl.set(.url, to: request.url.absoluteString, of: easy)
    try curl.set(.pathAsIs, to: 1, of: easy)
    try curl.set(.protocols, to: Self.httpAndHTTPS, of: easy)
    try curl.set(.httpVersion, to: Self.http11, of: easy)
    try curl.set(.http09Allowed, to: 0, of: easy)
    // The body is uncompressed here, up to its limit.
    try curl.set(.httpContentDecoding, to: 0, of: easy)
    try curl.set(.followLocation, to: 0, of: easy)
    try curl.set(.netrc, to: 0, of: easy)
    try curl.set(.disallowUsernameInURL, to: 1, of: easy)
    // No text is none, also if a variable of the environment names one.
    try curl.set(.proxy, to: "", of: easy)
    try curl.set(.sslVersion, to: Self.tls12OrNewer, of: easy)
    try curl.set(.sslVerifyPeer, to: 1, of: easy)
    try curl.set(.sslVerifyHost, to: 2, of: easy)
    if let authorities = request.authorities { try curl.set(.caInfo, to: authorities, of: easy) }
    try curl.set(.connectTimeout, to: HTTPTransport.connectSeconds, of: easy)
    try curl.set(.noSignal, to: 1, of: easy)
    // Don't wait for the resolver when a transfer is stopped. libcurl has this since 7.87.
    try? curl.set(.quickExit, to: 1, of: easy)
    try curl.set(.httpHeader, to: headers, of: easy)
    if let body = request.body {
      try curl.set(.postFieldSize, to: body.count, of: easy)
      try curl.copyBody(body, of: easy)
      try curl.set(.customRequest, to: request.method, of: easy)
    }
    try curl.set(.errorBuffer, to: UnsafeMutableRawPointer(errorText), of: easy)
    let context = Unmanaged.passUnretained(self).toOpaque()
    try curl.set(.headerData, to: context, of: easy)
    try curl.set(.writeData, to: context, of: easy)
    try curl.set(.headerFunction, to: receiveLine, of: easy)
    try curl.set(.writeFunction, to: receiveBody, of: easy)
    // libcurl has these since 7.80.
    try? curl.set(.preReqData, to: context, of: easy)
    try? curl.set(.preReqFunction, to: beforeRequest, of: easy)
  }

  /// CURLPROTO_HTTP and CURLPROTO_HTTPS.
  private static let httpAndHTTPS: CLong = 1 | 2
  /// CURL_HTTP_VERSION_1_1.
  private static let http11: CLong = 2
  /// CURL_SSLVERSION_TLSv1_2.
  private static let tls12OrNewer: CLong = 6

  /// The header fields as a list of libcurl, which the caller frees.
  ///
  /// - Throws: `Unavailability` for a field that would not be one line.
  func headerList(_ curl: LibCurl) throws -> LibCurl.Handle {
    var list: LibCurl.Handle?
    // Without this field, libcurl would wait for a sign of the server before it sends a body.
    let noWait = request.body == nil ? [] : [(name: "Expect", value: "")]
    for (name, value) in request.headers + noWait {
      let line = "\(name): \(value)"
      guard line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
        let longer = curl.slistAppend(list, line)
      else {
        curl.slistFreeAll(list)
        throw Unavailability.network(reason: "the header field \(name) cannot be sent")
      }
      list = longer
    }
    guard let list else { throw Unavailability.network(reason: "there are no header fields") }
    return list
  }

  /// Sends the request once: libcurl would send it again if an old connection is closed before an
  /// answer.
  fileprivate func beforeSending() -> CInt {
    guard isSent else {
      isSent = true
      return 0
    }
    failure = Unavailability.cutOff
    return 1
  }

  /// Runs a step of a callback. libcurl ends the transfer if the number is not that of the bytes.
  fileprivate func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int,
    _ step: (inout ReceivedAnswer, UnsafeRawBufferPointer) throws -> Bool
  ) -> Int {
    do {
      let isWanted = try step(&answer, UnsafeRawBufferPointer(start: bytes, count: count))
      if answer.hasHead { limits.recordProgress() }
      return isWanted ? count : count + 1
    } catch {
      failure = error
      return count + 1
    }
  }
}

private func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
  context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
}

private let receiveLine: CurlReceiver = { bytes, size, count, context in
  transfer(context)?.receive(bytes, size * count) { answer, line in
    try answer.receiveLine(line)
    return true
  } ?? 0
}

private let receiveBody: CurlReceiver = { bytes, size, count, context in
  transfer(context)?.receive(bytes, size * count) { answer, piece in
    try answer.receiveBody(piece)
  } ?? 0
}

private let beforeRequest: CurlStarter = { context, _, _, _, _ in
  transfer(context)?.beforeSending() ?? 1
}

/// Whether the task of an exchange was cancelled.
final class Cancellation: Sendable {
  private let flag = Atomic(false)

  var isCancelled: Bool { flag.load(ordering: .acquiring) }

  func cancel() { flag.store(true, ordering: .releasing) }
}
