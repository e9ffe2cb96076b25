/// A complete HTTP response.
public struct ReplicaResponse: Equatable, Sendable {
  public let status: Int
  /// By lower-case names.
  public let headers: [String: String]
  public let body: [UInt8]

  /// The names of `headers` may have any case. Of names that differ only in case, one is used.
  public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = Dictionary(
      headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
    self.body = body
  }
}
