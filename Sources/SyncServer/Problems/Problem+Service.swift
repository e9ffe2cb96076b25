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
    case .noSuchList(let list, known: _): self = .noSuchList(list.text)
    case .gone(let former): self = .gone(former)
    case .noSuchVersion(let revision, let list, let oldest, let head):
      self.init(
        kind: .noSuchVersion,
        detail: "\(list) has no version '\(revision.shortened)'; it has \(oldest) to \(head)",
        members: Members(oldest: oldest, snapshot: Address.list(list)))
    case .tooOld(let revision, let list, let oldest, let head):
      self.init(
        kind: .tooOld,
        detail: """
          version '\(revision.shortened)' of \(list) was pruned; it has \(oldest) to \(head): get \
          the snapshot, or ask with fallback=snapshot
          """,
        members: Members(oldest: oldest, snapshot: Address.list(list)))
    case .noVersionAt(let time, let list, let first):
      self.init(
        kind: .noSuchVersion,
        detail: "\(list) had no version at \(time)\(first.map { "; its first is of \($0)" } ?? "")")
    case .noSuchItem(let id, let list):
      self.init(kind: .noSuchItem, detail: "\(list) never had an item '\(id.text.shortened)'")
    case .itemAbsent(let id, let list, wasRemoved: _, edit: _):
      self.init(kind: .noSuchItem, detail: "\(list) has no item '\(id.text.shortened)'")
    case .noSuchTag(let tag, let list, known: _):
      self.init(kind: .noSuchVersion, detail: "\(list) has no tag '\(tag)'")
    case .diverged(let cursor, let list, let here):
      self.init(
        kind: .diverged,
        detail: """
          \(cursor) is not in the history of \(list), whose version \(here.version) is \(here): \
          get the snapshot, or ask with fallback=snapshot
          """,
        members: Members(snapshot: Address.list(list)))
    case .limit(let exceeded, let list, let item):
      self = .tooLarge(exceeded, at: item.map { "item '\($0.text.shortened)'" } ?? "\(list)")
    case .expectationFailed(let expected, let list, let head),
      .notTheStart(let expected, let list, let head):
      self.init(
        kind: .preconditionFailed,
        detail: """
          \(list) is at \(head), not at \(expected): get the newer versions, and make the \
          change again
          """,
        members: Members(head: head, snapshot: Address.list(list)))
    case .misfit(let list, let reason):
      self.init(kind: .unprocessable, detail: "the changes do not fit \(list): \(reason)")
    case .noSuchPlace(let index, let list, let highest, edit: _):
      self.init(
        kind: .unprocessable, detail: "\(list) has no place \(index): the last one is \(highest)")
    case .datedBeforeHead(let time, let list, let head, _):
      self.init(
        kind: .unprocessable,
        detail: "\(time) is earlier than version \(head) of \(list): date the commit later")
    case .broken(let list, let version, _), .brokenRange(let list, let version, _):
      self.init(
        kind: .damaged,
        detail: "version \(version) of \(list) is damaged: the operator must verify the store")
    case .emptyRange(let list, let from, let to):
      self = .invalid("\(list) has nothing between \(from) and \(to)")
    case .tooNew(let start, let list, let head):
      self.init(kind: .noSuchVersion, detail: "\(start) is newer than \(list), which is at \(head)")
    case .endsTooOld(let target, let list, let oldest):
      self.init(
        kind: .tooOld, detail: "\(target) is older than the oldest version of \(list), \(oldest)")
    case .importOvertaken, .notImported, .nameTaken, .tagTaken, .zeroTagged, .rangeLikeTag,
      .datedInFuture, .mayHaveLeapt, .tokenTaken, .noSuchToken:
      self = .unexpectedRefusal
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
    case .alreadyThere, .inUse, .headMoved, .duplicateItem: self = .unexpectedRefusal
    }
  }

  /// - Parameter newName: the present name of a renamed list, for a caller who may read it.
  static func gone(_ former: FormerList, newName: ListName? = nil) -> Problem {
    let act = former.newName == nil ? "dropped" : "renamed"
    return Problem(
      kind: .gone,
      detail: """
        \(former.name) was \(act) at \(former.leftAt); its last version was \(former.cursor)
        """,
      members: Members(head: former.cursor, newName: newName))
  }

  /// For errors that no request can cause.
  private static let unexpectedRefusal = Problem(
    kind: .internal, detail: "the store refused: no request asks for this")
}

extension SyncServer {
  func gone(_ former: FormerList, for caller: Caller) -> Problem {
    .gone(former, newName: former.newName.flatMap { caller.mayRead($0) ? $0 : nil })
  }

  /// The error with the head and oldest version of the call's list, so that the client can go on.
  func withState(of call: Call, _ error: any Error) -> any Error {
    if case ServiceError.gone(let former) = error { return gone(former, for: call.caller) }
    guard var problem = Problem(error), let list = try? call.listName(),
      let summary = board.head(of: list)
    else { return error }
    if [.noSuchVersion, .diverged, .tooOld, .preconditionFailed].contains(problem.kind) {
      problem.members.head = problem.members.head ?? summary.head.cursor
      problem.members.oldest = problem.members.oldest ?? summary.oldest
    }
    return problem
  }
}
