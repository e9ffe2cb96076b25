import Gzip
import HTTPTypes
import ListDocuments
import ListModel
import ListStore
import SyncService

/// The one place that maps the errors of the layers below to problems.
extension Problem {
  /// Nil for an error of another package.
  init?(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as ServiceError: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as SnapshotError: self.init(error)
    case let error as DeltaError: self.init(error)
    case let error as GzipError: self.init(error)
    case is CancellationError: self = .busy("the server is about to end; try again")
    default: return nil
    }
  }

  init(_ error: ServiceError) {
    switch error {
    case .noSuchList(let list): self = .noSuchList(list.text)
    case .gone(let former): self = .gone(former)
    case .limit(let exceeded, let list, let item):
      self = .tooLarge(exceeded, at: item.map { "item '\($0.text.shortened)'" } ?? "\(list)")
    case .importOvertaken, .notImported, .nameTaken, .tagTaken, .zeroTagged, .rangeLikeTag,
      .datedInFuture, .mayHaveLeapt, .tokenTaken, .noSuchToken:
      self = .unexpectedRefusal
    // The reason may have parts of the store, which only the log may show.
    case .broken(let list, let version, _), .brokenBundle(let list, let version, _):
      self.init(
        kind: error.kind,
        detail: "version \(version) of \(list) is damaged: the operator must verify the store")
    default:
      let (members, advice) = Self.consequence(of: error)
      self.init(
        kind: error.kind, detail: "\(error)\(advice.map { ": \($0)" } ?? "")", members: members)
    }
  }

  /// Clients read 64 KiB of a problem (P34), in which ids and paths may need escapes.
  private static let conflictByteLimit = 40 << 10

  private static func consequence(of error: ServiceError) -> (Members, advice: String?) {
    let catchUp = "get the snapshot, or ask with fallback=snapshot"
    switch error {
    case .noSuchVersion(_, let list, let oldest, _):
      return (Members(oldest: oldest, snapshot: Address.list(list)), nil)
    case .tooOld(_, let list, let oldest, _):
      return (Members(oldest: oldest, snapshot: Address.list(list)), catchUp)
    case .diverged(_, let list, _): return (Members(snapshot: Address.list(list)), catchUp)
    case .expectationFailed(_, let list, let head), .notTheStart(_, let list, let head):
      return (
        Members(head: head, snapshot: Address.list(list)),
        "get the newer versions, and make the change again"
      )
    case .conflicts(let conflicts, let list, let base, let head):
      return (
        Members(
          head: head, snapshot: Address.list(list),
          merge: (base, conflicts.listed(byteLimit: conflictByteLimit))),
        "decide all with prefer=mine or prefer=theirs, or make your list agree and send it again"
      )
    case .datedBeforeHead: return (Members(), "date the commit later")
    case .changesTooMany(let kind, let changed, of: let count, _, let limit):
      return (
        Members(changes: (kind, changed, count, limit)),
        "if that is right, send the request again with force-\(kind)=true"
      )
    case .newIDs:
      return (
        Members(),
        "leave out id to find them as before, or send the request again with new-ids=true"
      )
    default: return (Members(), nil)
    }
  }

  init(_ error: StoreError) {
    switch error {
    case .busy: self = .busy("another process is writing to the store; try again")
    case .replaced: self = .busy("the store's file was replaced, and the server ends; try again")
    // A connection that was lost in a commit leaves open whether it was kept.
    case .unreachable: self = .busy("the store's server cannot be reached at the moment; try again")
    case .diskFull: self.init(kind: .outOfSpace, detail: "nothing was changed")
    case .corrupt, .notADatabase, .foreign:
      self.init(kind: .damaged, detail: "the operator must verify the store")
    case .listFull:
      self.init(kind: .unprocessable, detail: "the list cannot have more changes or versions")
    case .readOnly, .notPermitted:
      self.init(kind: .internal, detail: "the store cannot be written; nothing was changed")
    // The reasons name files, which only the log may show.
    case .inputOutput, .database, .notFound, .newer, .older, .unreleased, .cannotOpen:
      self.init(kind: .internal, detail: "the store cannot be used; nothing was changed")
    case .alreadyThere, .inUse, .notCopied, .headMoved, .duplicateItem, .wrongRoot:
      self = .unexpectedRefusal
    }
  }

  /// - Parameter newName: the present name of a renamed list, for a caller who may read it.
  static func gone(_ former: RetiredList, newName: ListName? = nil) -> Problem {
    // Not the sentence of the error: the new name is for those alone who may read that list.
    let act = former.newName == nil ? "dropped" : "renamed"
    return Problem(
      kind: .gone,
      detail: """
        \(former.name) was \(act) at \(former.leftAt); its last version was \(former.cursor.short)
        """,
      members: Members(head: former.cursor, newName: newName))
  }

  /// For errors that no request can cause.
  private static let unexpectedRefusal = Problem(
    kind: .internal, detail: "the store refused: no request asks for this")
}

extension SyncServer {
  func gone(_ former: RetiredList, for caller: Caller) -> Problem {
    .gone(former, newName: former.newName.flatMap { caller.mayRead($0) ? $0 : nil })
  }

  /// The error with the head and oldest version of the call's list, so that the client can go on.
  func withState(of call: Call, _ error: any Error) -> any Error {
    if case ServiceError.gone(let former) = error { return gone(former, for: call.caller) }
    guard var problem = Problem(error), let list = try? call.listName(),
      let summary = headCache.head(of: list)
    else { return error }
    if [.noSuchVersion, .diverged, .tooOld, .preconditionFailed].contains(problem.kind) {
      problem.members.head = problem.members.head ?? summary.head.cursor
      problem.members.oldest = problem.members.oldest ?? summary.oldest
    }
    return problem
  }
}
