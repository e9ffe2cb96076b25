import ListModel

/// What whoever keeps a server can set about its answers.
public struct ServerSettings: Sendable {
  /// What commits may bring.
  public var limits: Limits
  /// How many bytes a request's body may have, coded or not.
  public var bodyByteLimit: Int
  /// How many bytes of bodies may be in memory at once, beside the first 64 KiB of each; while they
  /// are read as lists they take a few times as many.
  public var heldBodyByteLimit: Int
  /// How long each MiB of a body, or its end, may take to come.
  public var bodySeconds: Int
  /// How long a request may wait for news.
  public var longestWaitSeconds: Int
  /// How long a stream of events is silent before a heartbeat.
  public var heartbeatSeconds: Int
  /// How many bytes of answers are kept to be given again.
  public var cacheByteLimit: Int
  /// How many bytes of answers there may be in memory, kept or on their way to slow readers, before
  /// another large one is refused.
  public var heldByteLimit: Int
  /// The web origins whose pages may ask, such as `https://example.org`; `*` for all.
  public var allowedOrigins: Set<String>
  /// The names under which the server may be asked, beside the addresses of its connections and
  /// `localhost`.
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
