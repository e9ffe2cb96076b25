import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  func begin(
    _ task: URLSessionTask, _ continuation: CheckedContinuation<ReplicaResponse, any Error>
  ) {
    lock.lock()
    defer { lock.unlock() }
    exchanges[task.taskIdentifier] = Exchange(continuation: continuation)
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
