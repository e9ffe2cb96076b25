#if !canImport(Darwin)
  import Foundation
  import ListDocuments
  import ListModel
  import SyncClient

  extension Replica {
    /// A replica over HTTP. On Apple platforms `SyncClient` itself has the same initialiser.
    ///
    /// - Parameters:
    ///   - list: its name there.
    ///   - address: of a server, or of the folder of a publication.
    ///   - token: a bearer token, if the server requires one.
    ///   - storage: where the copy is kept.
    ///   - proves: whether the server has to prove the history, as in `ReplicaMachine.Options`.
    ///   - key: the key that has to have signed every copy.
    ///   - decoder: makes the decoder of an item's JSON.
    public init(
      of list: ListName, at address: ServerAddress, token: String? = nil,
      storage: Storage = .memory, proves: Bool = false, key: VerifierKey? = nil,
      decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
    ) {
      self.init(
        of: list, at: address, storage: storage, proves: proves, key: key, decoder: decoder,
        over: HTTPTransport(address, options: TransportOptions(token: token)))
    }
  }
#endif
