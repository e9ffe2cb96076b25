import ListDocuments
import ListModel

/// The publication at an address or, without one, the server there.
///
/// The first request asks for the head of the publication. A server answers it with a problem
/// document, at little cost. If there is a publication, nothing else is requested.
public actor AddressOrigin: ReplicaOrigin {
  private let publication: PublicationOrigin
  private let server: ServerOrigin
  /// The origin that has answered; nil until then.
  private var found: (any ReplicaOrigin)?

  /// - Parameters:
  ///   - transport: to the address.
  ///   - clock: for the time between two looks at a publication.
  public init(
    _ transport: any ReplicaTransport & FileTransport, clock: ReplicaClock = .system
  ) {
    publication = PublicationOrigin(transport, clock: clock)
    server = ServerOrigin(transport: transport)
  }

  public func answer(
    to request: ReplicaRequest, from copy: ListState, limits: Limits
  ) async -> ReplicaAnswer {
    if let found { return await found.answer(to: request, from: copy, limits: limits) }
    let finding = await publication.find(request.list)
    switch finding {
    case .there:
      found = publication
      return await publication.answer(to: request, from: copy, limits: limits)
    case .failed(let answer): return answer
    case .notThere, .page: break
    }
    let answer = await server.answer(to: request, from: copy, limits: limits)
    if answer.isOfServer { found = server }
    // The page may have hidden a publication, whose host has nothing at the server's path.
    if case .page(let type) = finding, case .refused(.noSuchList(_, detail: nil)) = answer {
      return .unavailable(.notFromServer(contentType: type))
    }
    return answer
  }

  public func commit(_ request: ReplicaRequest) async -> EditAnswer {
    if let found { return await found.commit(request) }
    switch await publication.find(request.list) {
    case .there: found = publication
    case .notThere, .page: return await server.commit(request)
    case .failed(.unavailable(let cause, let seconds)):
      return .unavailable(cause, retryAfterSeconds: seconds)
    case .failed: return .unavailable(.behind(reason: "its head cannot be read"))
    }
    return .refused(.readOnly, isMade: false)
  }

  public var isReadOnly: Bool { get async { await found?.isReadOnly ?? false } }
}

extension ReplicaAnswer {
  /// Whether only a server can have sent it; a page of a network login looks different.
  fileprivate var isOfServer: Bool {
    switch self {
    case .changes, .snapshot, .headers, .notModified, .noDelta: true
    case .damaged, .unavailable, .refused: false
    }
  }
}
