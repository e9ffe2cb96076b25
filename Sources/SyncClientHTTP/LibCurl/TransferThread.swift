import CLibCurl
import Foundation
import SyncClient
import Synchronization

/// The thread on which libcurl carries out all transfers of the process. They share connections.
///
/// Each turn starts new transfers, lets libcurl read and write what is ready, and ends transfers
/// that are done, cancelled or out of time. Between two turns the thread sleeps until there is
/// data, until the next deadline, or until another thread wakes it.
///
/// Unchecked because `transfers` is used by the thread alone, and libcurl allows any thread to wake
/// a `multi`.
final class TransferThread: @unchecked Sendable {
  private let curl: LibCurl
  private let multi: LibCurl.Handle
  private let arrivals = Mutex<[Transfer]>([])
  /// The transfers that libcurl has, by their handles.
  private var transfers: [LibCurl.Handle: (transfer: Transfer, headers: LibCurl.Handle)] = [:]

  static let shared = Result<TransferThread, LibCurl.Missing> { () throws(LibCurl.Missing) in
    let thread = try TransferThread(LibCurl.loaded.get())
    Thread.detachNewThread { thread.run() }
    return thread
  }

  private init(_ curl: LibCurl) throws(LibCurl.Missing) {
    guard let multi = curl.multiInit() else {
      throw LibCurl.Missing(reason: "this machine's libcurl cannot be initialised")
    }
    (self.curl, self.multi) = (curl, multi)
  }

  /// Carries out an exchange. It is stopped at once when its task is cancelled.
  ///
  /// - Throws: `Unavailability`, `ReplicaError.answerTooLong`, `CancellationError`.
  func perform(
    _ request: TransferRequest, within limits: ExchangeLimits, byteLimit: Int
  ) async throws -> ReplicaResponse {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let transfer = Transfer(
          request, within: limits, byteLimit: byteLimit, cancellation, continuation)
        arrivals.withLock { $0.append(transfer) }
        wake()
      }
    } onCancel: {
      cancellation.cancel()
      wake()
    }
  }

  private func wake() { _ = curl.multiWakeup(multi) }

  private func run() -> Never {
    // Signals are for other threads. A write to a closed connection sends SIGPIPE to this one.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    while true { turn() }
  }

  private func turn() {
    let arrived = arrivals.withLock { arrivals in
      defer { arrivals = [] }
      return arrivals
    }
    for transfer in arrived { start(transfer) }
    var count: CInt = 0
    check(curl.multiPerform(multi, &count))
    while let message = curl.multiInfoRead(multi, &count)?.pointee {
      guard message.kind == Self.done, let easy = message.easy else { continue }
      guard let transfer = transfers[easy]?.transfer else { continue }
      remove(easy, transfer.result(message.result.code, of: easy, curl))
    }
    let now = ContinuousClock.now
    for (easy, running) in transfers {
      if let error = running.transfer.reasonToStop(at: now) { remove(easy, .failure(error)) }
    }
    let next = transfers.values.map(\.transfer.limits.deadline).min()
    let code = curl.multiPoll(multi, nil, 0, Self.milliseconds(from: now, to: next), nil)
    check(code)
    // It did not wait.
    if code != 0 { Thread.sleep(forTimeInterval: 0.1) }
  }

  /// CURLMSG_DONE.
  private static let done: CInt = 1

  /// Rounded up, and at most an hour.
  private static func milliseconds(
    from now: ContinuousClock.Instant, to next: ContinuousClock.Instant?
  ) -> CInt {
    let hour = Duration.seconds(3600)
    let wait = next.map { min(hour, max(.zero, now.duration(to: $0))) } ?? hour
    return CInt((wait / .milliseconds(1)).rounded(.up))
  }

  private func start(_ transfer: Transfer) {
    do {
      let headers = try transfer.headerList(curl)
      guard let easy = curl.easyInit() else {
        curl.slistFreeAll(headers)
        throw Unavailability.network(reason: "there is no memory for a connection")
      }
      transfers[easy] = (transfer, headers)
      do {
        try transfer.prepare(easy, headers, curl)
        check(curl.multiAddHandle(multi, easy))
      } catch {
        remove(easy, .failure(error))
      }
    } catch {
      transfer.end(.failure(error))
    }
  }

  /// Closes the connection of a transfer that is not done.
  private func remove(_ easy: LibCurl.Handle, _ result: Result<ReplicaResponse, any Error>) {
    guard let (transfer, headers) = transfers.removeValue(forKey: easy) else { return }
    _ = curl.multiRemoveHandle(multi, easy)
    curl.easyCleanup(easy)
    curl.slistFreeAll(headers)
    transfer.end(result)
  }

  /// Ends all transfers when libcurl fails as a whole, for lack of memory.
  private func check(_ code: CInt) {
    guard code != 0 else { return }
    let error = Unavailability.network(reason: "libcurl has failed: error \(code)")
    for easy in transfers.keys { remove(easy, .failure(error)) }
  }
}
