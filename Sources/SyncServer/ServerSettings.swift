import ListDocuments
import ListModel

/// The settings of a server.
public struct ServerSettings: Sendable {
  /// The limits of commits.
  public var limits = Limits.standard
  /// How many bytes a request's body may have, before and after decoding.
  public var bodyByteLimit = 64 << 20
  /// How many bytes of bodies may be in memory at once, beside bodies of up to 64 KiB. Reading a
  /// body as a list needs a few times its bytes.
  public var heldBodyByteLimit = 512 << 20
  /// How many seconds each MiB of a body, or its end, may take to come.
  public var bodySeconds = 120
  /// How many seconds a request may wait for a new version.
  public var longestWaitSeconds = 60
  /// After how many silent seconds a stream of events sends a heartbeat.
  public var heartbeatSeconds = 15
  /// How many bytes of answers are kept for further requests.
  public var cacheByteLimit = 64 << 20
  /// How many bytes of answers may be kept or being sent before another large answer is refused.
  public var heldByteLimit = 512 << 20
  /// The web origins whose pages may read answers, such as `https://example.org`; `*` for all.
  public var allowedOrigins: Set<String> = []
  /// The host names that the server answers for, beside `localhost` and the addresses of its
  /// connections.
  public var hostNames: Set<String> = []
  /// Signs the answers of changes; nil for answers without a signature.
  public var signer: HeadSigner?

  public init() {}
}
