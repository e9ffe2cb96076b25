#if canImport(Darwin)
  import Foundation

  /// The requests of a URLSession that are under way, each with what came back so far.
  ///
  /// Unchecked because the table is touched under the lock alone.
  final class Exchanges: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private struct Exchange {
      let continuation: CheckedContinuation<ReplicaResponse, any Error>
      var body: [UInt8] = []
      var isTooLong = false
    }

    private let byteLimit: Int
    private let lock = NSLock()
    private var exchanges: [Int: Exchange] = [:]
    /// The tasks of requests that were cancelled before they began.
    private var cancelled: Set<Int> = []

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// Notes who waits for a task, which is then to be sent.
    ///
    /// - Returns: false for a request that was cancelled meanwhile, and that nothing is to be sent
    ///   of.
    func begin(
      _ task: URLSessionTask, _ continuation: CheckedContinuation<ReplicaResponse, any Error>
    ) -> Bool {
      let isCancelled = lock.withLock {
        if cancelled.contains(task.taskIdentifier) { return true }
        exchanges[task.taskIdentifier] = Exchange(continuation: continuation)
        return false
      }
      if isCancelled { continuation.resume(throwing: CancellationError()) }
      return !isCancelled
    }

    /// Gives a request up. A task that was never sent tells nobody that it was cancelled, so that
    /// who waits for it is told here.
    func cancel(_ task: URLSessionTask) {
      let exchange = lock.withLock {
        cancelled.insert(task.taskIdentifier)
        return exchanges.removeValue(forKey: task.taskIdentifier)
      }
      exchange?.continuation.resume(throwing: CancellationError())
      task.cancel()
    }

    /// Forgets a request that has ended, whatever came of it.
    func end(_ task: URLSessionTask) {
      _ = lock.withLock { cancelled.remove(task.taskIdentifier) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      let isTooLong = {
        lock.lock()
        defer { lock.unlock() }
        guard var exchange = exchanges.removeValue(forKey: dataTask.taskIdentifier) else {
          return false
        }
        exchange.isTooLong = exchange.isTooLong || exchange.body.count + data.count > byteLimit
        if exchange.isTooLong { exchange.body = [] } else { exchange.body.append(contentsOf: data) }
        exchanges[dataTask.taskIdentifier] = exchange
        return exchange.isTooLong
      }()
      if isTooLong { dataTask.cancel() }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
      completionHandler: @escaping (URLRequest?) -> Void
    ) {
      completionHandler(nil)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      lock.lock()
      let exchange = exchanges.removeValue(forKey: task.taskIdentifier)
      lock.unlock()
      guard let exchange else { return }
      exchange.continuation.resume(with: result(of: exchange, task, error))
    }

    private func result(
      of exchange: Exchange, _ task: URLSessionTask, _ error: (any Error)?
    ) -> Result<ReplicaResponse, any Error> {
      if exchange.isTooLong { return .failure(ReplicaError.answerTooLong(byteLimit: byteLimit)) }
      if let error { return .failure(error) }
      guard let response = task.response as? HTTPURLResponse else {
        return .failure(URLError(.badServerResponse))
      }
      var headers: [String: String] = [:]
      for (name, value) in response.allHeaderFields {
        if let name = name as? String, let value = value as? String { headers[name] = value }
      }
      return .success(
        ReplicaResponse(status: response.statusCode, headers: headers, body: exchange.body))
    }
  }
#endif
