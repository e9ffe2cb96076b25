import Foundation
import ListDocuments
import ListModel

/// A replica of a list whose items are of one type.
///
///     let replica = Replica<Park>(
///       of: ListName("parks")!, at: try ServerAddress("https://lists.example"), token: token,
///       storage: .file(path))
///     try await replica.start()
///     for try await update in replica.updates { … }
///
/// An item that cannot be decoded ends the updates with `ReplicaError.undecodable`. Without it, the
/// indexes of later items would differ from the server's. A type for any item can decode the
/// members that it knows and set the others to nil. The copy itself is still updated.
public struct Replica<Element: Decodable & Sendable>: Sendable {
  public let session: ReplicaSession
  let decode: @Sendable (Item) throws -> Element

  public enum Storage: Sendable {
    case memory
    /// A file at a path. A damaged file is replaced.
    case file(String)
  }

  #if canImport(Darwin)
    /// A replica over URLSession. On Linux `SyncClientHTTP` has the same initialiser.
    ///
    /// - Parameters:
    ///   - list: its name there.
    ///   - address: of a server, or of the folder of a publication.
    ///   - token: a bearer token, if the server requires one.
    ///   - storage: where the copy is kept.
    ///   - proves: as ``ReplicaMachine/Options/proves``.
    ///   - key: as ``ReplicaMachine/Options/key``.
    ///   - decoder: makes the decoder of an item's JSON.
    public init(
      of list: ListName, at address: ServerAddress, token: String? = nil,
      storage: Storage = .memory, proves: Bool = false, key: VerifierKey? = nil,
      decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
    ) {
      self.init(
        of: list, at: address, storage: storage, proves: proves, key: key, decoder: decoder,
        over: URLSessionTransport(address, options: TransportOptions(token: token)))
    }
  #endif

  /// A replica over a transport to the address of a server or of a publication.
  package init(
    of list: ListName, at address: ServerAddress, storage: Storage, proves: Bool = false,
    key: VerifierKey? = nil, decoder: @escaping @Sendable () -> JSONDecoder,
    over transport: any ReplicaTransport & FileTransport
  ) {
    self.init(
      of: list, at: address, storage: storage, proves: proves, key: key, decoder: decoder,
      from: AddressOrigin(transport))
  }

  private init(
    of list: ListName, at address: ServerAddress, storage: Storage, proves: Bool,
    key: VerifierKey?, decoder: @escaping @Sendable () -> JSONDecoder,
    from origin: any ReplicaOrigin
  ) {
    let source = ReplicaSource(server: address.text, list: list)
    let kept: any ReplicaStorage =
      switch storage {
      case .memory: ReplicaMemory()
      case .file(let path): ReplicaFile(path: path, source: source, ifDamaged: .startOver)
      }
    var options = ReplicaMachine.Options(list: list)
    (options.proves, options.key) = (proves, key)
    self.init(ReplicaSession(options, origin: origin, storage: kept), decoder: decoder)
  }

  /// Makes a replica that shares the requests of a server with the replicas of other lists.
  ///
  /// - Parameters:
  ///   - list: its name there.
  ///   - server: the server.
  ///   - storage: where the copy is kept.
  ///   - proves: as ``ReplicaMachine/Options/proves``.
  ///   - key: as ``ReplicaMachine/Options/key``.
  ///   - decoder: makes the decoder of an item's JSON.
  public init(
    of list: ListName, from server: ReplicaServer, storage: Storage = .memory,
    proves: Bool = false, key: VerifierKey? = nil,
    decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
  ) {
    self.init(
      of: list, at: server.address, storage: storage, proves: proves, key: key, decoder: decoder,
      from: server.origin())
  }

  /// A replica over a session.
  public init(
    _ session: ReplicaSession, decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
  ) {
    self.session = session
    decode = { item in
      do {
        return try decoder().decode(Element.self, from: Data(item.content.bytes))
      } catch {
        throw ReplicaError.undecodable(id: item.id, reason: Self.reason(error))
      }
    }
  }

  public func start() async throws(ReplicaError) { try await session.start() }

  public func pause() async { await session.pause() }

  public func resume() async { await session.resume() }

  public func stop() async { await session.stop() }

  /// The updates of the list, from an empty one on. Only inserted and updated items are decoded.
  public var updates: ReplicaUpdates<Element> { updates(after: nil) }

  /// The updates after the last one that a view shows, for example in a loop after one that has
  /// ended with an error; nil for a view without items.
  public func updates(after last: ReplicaUpdate<Element>?) -> ReplicaUpdates<Element> {
    last.map { ReplicaUpdates(session, after: $0, decode: decode) }
      ?? ReplicaUpdates(session, after: .empty, decode: decode)
  }

  private static func reason(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      return text(context.codingPath, context.debugDescription)
    case .keyNotFound(let key, let context):
      return text(context.codingPath + [key], "it is missing")
    @unknown default: return "\(error)"
    }
  }

  private static func text(_ path: [any CodingKey], _ description: String) -> String {
    "/" + path.map(\.stringValue).joined(separator: "/") + ": " + description
  }
}
