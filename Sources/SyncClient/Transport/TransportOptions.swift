/// The token and limits of a transport over HTTP.
public struct TransportOptions: Sendable {
  /// A bearer token (RFC 6750); nil if the server requires none.
  public var token: String?
  /// The longest time without any data, in addition to the wait that the server is asked for;
  /// `.infinity` for any time.
  public var idleSeconds = 30.0
  /// The longest time for a whole answer, in addition to the wait that the server is asked for;
  /// `.infinity` for any time.
  public var totalSeconds = 600.0
  /// The highest number of bytes of an answer, uncompressed.
  public var byteLimit = 256 << 20

  /// The highest number of bytes of a problem document. If it is longer, only the status counts.
  package static let problemByteLimit = 64 << 10
}

extension TransportOptions {
  public init(token: String? = nil) { self.init(token: token, idleSeconds: 30) }

  /// The header fields of a request, and the token's.
  ///
  /// - Throws: `ReplicaError.badToken`.
  package func authorized(
    _ headers: [(name: String, value: String)]
  ) throws(ReplicaError) -> [(name: String, value: String)] {
    guard let token else { return headers }
    // A line end would begin another header field.
    guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .badToken }
    return headers + [(name: "Authorization", value: "Bearer \(token)")]
  }
}
