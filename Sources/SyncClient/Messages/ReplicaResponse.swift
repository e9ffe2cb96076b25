/// A complete HTTP response.
public struct ReplicaResponse: Equatable, Sendable {
  public let status: Int
  /// The header fields by lower-case names.
  public let headers: [String: String]
  public let body: [UInt8]

  /// Makes a response. The names of `headers` may have any case; of names that differ only in case,
  /// one is used.
  public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = Dictionary(
      headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
    self.body = body
  }
}
