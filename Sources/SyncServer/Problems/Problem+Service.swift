import HTTPTypes
import ListDocuments
import ListModel
import ListStore
import SyncService

/// Every error of the layers below becomes a problem here, and nowhere else.
extension Problem {
  /// Nil for an error that is none of this package's.
  init?(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as ServiceError: self.init(error)
    case let error as StoreError: self.init(error)
    case is CancellationError:
      self.init(
        kind: .busy, detail: "the server is about to end; try again", headers: [.retryAfter: "1"])
    default: return nil
    }
  }

  init(_ error: ServiceError) {
    switch error {
    case .noSuchList(let list, known: _): self = .noSuchList(list.text)
    case .noSuchVersion(let revision, let list, let oldest, let head):
      self.init(
        kind: .noSuchVersion,
        detail: "\(list) has no version '\(revision.shortened)'; it has \(oldest) to \(head)",
        members: Members(oldest: oldest, snapshot: Address.list(list)))
    case .tooOld(let revision, let list, let oldest, let head):
      self.init(
        kind: .tooOld,
        detail: """
          version '\(revision.shortened)' of \(list) was pruned; it has \(oldest) to \(head): take the \
          snapshot, or ask with fallback=snapshot
          """,
        members: Members(oldest: oldest, snapshot: Address.list(list)))
    case .noVersionAt(let time, let list, let first):
      self.init(
        kind: .noSuchVersion,
        detail: "\(list) had no version at \(time)\(first.map { "; its first is of \($0)" } ?? "")")
    case .noSuchItem(let id, let list):
      self.init(kind: .noSuchItem, detail: "\(list) never had an item '\(id.text.shortened)'")
    case .itemAbsent(let id, let list, wasRemoved: _):
      self.init(kind: .noSuchItem, detail: "\(list) has no item '\(id.text.shortened)'")
    case .noSuchTag(let tag, let list, known: _):
      self.init(kind: .noSuchVersion, detail: "\(list) has no tag '\(tag)'")
    case .diverged(let cursor, let list, let here):
      self.init(
        kind: .diverged,
        detail: """
          \(cursor) is not of the history of \(list), whose version \(here.version) is \(here): take the \
          snapshot, or ask with fallback=snapshot
          """,
        members: Members(snapshot: Address.list(list)))
    case .limit(let exceeded, let list, let item):
      self.init(exceeded, of: list, item: item)
    case .expectationFailed(let expected, let list, let head):
      self.init(
        kind: .preconditionFailed,
        detail: """
          \(list) is at \(head), not at \(expected): get what changed since, and make the change anew
          """,
        members: Members(head: head, snapshot: Address.list(list)))
    case .misfit(let list, let reason):
      self.init(kind: .unprocessable, detail: "the changes do not fit \(list): \(reason)")
    case .noSuchPlace(let index, let list, let highest):
      self.init(
        kind: .unprocessable, detail: "\(list) has no place \(index): the last one is \(highest)")
    case .broken(let list, let version, _), .brokenRange(let list, let version, _):
      self.init(
        kind: .damaged,
        detail:
          "version \(version) of \(list) is damaged: the server's keeper must verify the store")
    case .emptyRange(let list, let from, let to):
      self.init(kind: .invalidRequest, detail: "\(list) has nothing between \(from) and \(to)")
    case .tooNew(let start, let list, let head):
      self.init(kind: .noSuchVersion, detail: "\(start) is newer than \(list), which is at \(head)")
    case .endsTooOld(let target, let list, let oldest):
      self.init(
        kind: .tooOld, detail: "\(target) is older than \(list) goes back, which is \(oldest)")
    case .importOvertaken, .notImported, .tagTaken, .zeroTagged, .datedInFuture, .mayHaveLeapt,
      .tokenTaken, .noSuchToken:
      self.init(kind: .internal, detail: "the store refused: no request asks for this")
    }
  }

  init(_ error: StoreError) {
    switch error {
    case .busy:
      self.init(
        kind: .busy, detail: "another process is writing to the store; try again",
        headers: [.retryAfter: "1"])
    case .replaced:
      self.init(
        kind: .busy, detail: "the store's file was replaced, and the server ends; try again",
        headers: [.retryAfter: "1"])
    case .diskFull: self.init(kind: .outOfSpace, detail: "nothing was changed")
    case .corrupt, .notADatabase, .foreign:
      self.init(kind: .damaged, detail: "the server's keeper must verify the store")
    case .listFull:
      self.init(
        kind: .unprocessable, detail: "the list has had as many changes or versions as it can")
    case .readOnly:
      self.init(kind: .internal, detail: "the store cannot be written; nothing was changed")
    // The reasons name files: they are for the log, and not for whoever asks.
    case .inputOutput, .database, .notFound, .newer, .cannotOpen:
      self.init(kind: .internal, detail: "the store cannot be used; nothing was changed")
    case .alreadyThere, .inUse, .headMoved, .duplicateItem:
      self.init(kind: .internal, detail: "the store refused: no request asks for this")
    }
  }

  private init(_ exceeded: ExceededLimit, of list: ListName, item: ItemID?) {
    let place = item.map { "item '\($0.text.shortened)'" } ?? "\(list)"
    self.init(
      kind: .tooLarge, detail: "\(place): \(exceeded)",
      members: Members(limit: (exceeded.limit.rawValue, exceeded.bound)))
  }
}
