/// What a transport over HTTP sends along, and how much it bears.
public struct TransportOptions: Sendable {
  /// A bearer token (RFC 6750); nil where the server wants none.
  public var token: String?
  /// How long nothing may come, beyond what the server is asked to wait.
  public var idleSeconds: Double
  /// How long an answer may take in all, beyond what the server is asked to wait.
  public var totalSeconds: Double
  /// How many bytes an answer may have, once it is unpacked.
  public var byteLimit: Int

  public init(
    token: String? = nil, idleSeconds: Double = 30, totalSeconds: Double = 600,
    byteLimit: Int = 256 << 20
  ) {
    self.token = token
    self.idleSeconds = idleSeconds
    self.totalSeconds = totalSeconds
    self.byteLimit = byteLimit
  }

  /// All header fields of a request, the token's among them.
  ///
  /// - Throws: `ReplicaError.badToken`.
  package func headers(
    of request: ReplicaRequest
  ) throws(ReplicaError) -> [(name: String, value: String)] {
    guard let token else { return request.headers }
    // A line end would begin a header field of its own.
    guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .badToken }
    return request.headers + [(name: "Authorization", value: "Bearer \(token)")]
  }
}
