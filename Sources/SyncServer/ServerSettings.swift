import ListModel

/// The settings of a server.
public struct ServerSettings: Sendable {
  /// The limits of commits.
  public var limits: Limits
  /// How many bytes a request's body may have, before and after decoding.
  public var bodyByteLimit: Int
  /// How many bytes of bodies may be in memory at once, beside bodies of up to 64 KiB. Reading a
  /// body as a list needs a few times its bytes.
  public var heldBodyByteLimit: Int
  /// How many seconds each MiB of a body, or its end, may take to come.
  public var bodySeconds: Int
  /// How many seconds a request may wait for a new version.
  public var longestWaitSeconds: Int
  /// After how many silent seconds a stream of events sends a heartbeat.
  public var heartbeatSeconds: Int
  /// How many bytes of answers are kept for further requests.
  public var cacheByteLimit: Int
  /// How many bytes of answers may be kept or being sent before another large answer is refused.
  public var heldByteLimit: Int
  /// The web origins whose pages may read answers, such as `https://example.org`; `*` for all.
  public var allowedOrigins: Set<String>
  /// The host names that the server answers for, beside `localhost` and the addresses of its
  /// connections.
  public var hostNames: Set<String>

  public init(
    limits: Limits = .standard, bodyByteLimit: Int = 64 << 20,
    heldBodyByteLimit: Int = 512 << 20, bodySeconds: Int = 120, longestWaitSeconds: Int = 60,
    heartbeatSeconds: Int = 15, cacheByteLimit: Int = 64 << 20, heldByteLimit: Int = 512 << 20,
    allowedOrigins: Set<String> = [], hostNames: Set<String> = []
  ) {
    self.limits = limits
    self.bodyByteLimit = bodyByteLimit
    self.heldBodyByteLimit = heldBodyByteLimit
    self.bodySeconds = bodySeconds
    self.longestWaitSeconds = longestWaitSeconds
    self.heartbeatSeconds = heartbeatSeconds
    self.cacheByteLimit = cacheByteLimit
    self.heldByteLimit = heldByteLimit
    self.allowedOrigins = allowedOrigins
    self.hostNames = hostNames
  }
}
