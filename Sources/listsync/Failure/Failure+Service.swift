import ListDocuments
import ListModel
import ListStore
import SyncService
import Terminal

extension Failure {
  init(_ error: ServiceError) {
    let sentence = Output.printable(error.sentence(Wording.time))
    self.init(
      Code(error), error.known.map { "\(sentence); \($0)" } ?? sentence, Self.advice(on: error),
      problem: error.kind)
  }

  private static func advice(on error: ServiceError) -> String? {
    switch error {
    case .noSuchList(let list):
      "Create it with 'listsync commit \(list) FILE', or check --store."
    case .gone(let former):
      former.newName.map { "Name the list \($0)." }
        ?? "'listsync commit \(former.name) FILE --begin-again' begins a new list of this name."
    case .nameTaken(let list):
      "Nothing was changed. Use another name, or drop that list with 'listsync drop \(list)'."
    case .noSuchVersion(_, let list, _, _): "'listsync log \(list)' shows its versions."
    case .tooOld(_, let list, _, _): "'listsync log \(list)' shows the versions that it has."
    case .noVersionAt: nil
    case .noSuchItem:
      "Ids are compared byte by byte. Repeat --item for the fields of a compound id."
    case .itemAbsent(_, let list, _, _):
      """
      Nothing was changed. 'listsync show \(list)' shows the items. Ids are compared byte by \
      byte; U+001F separates the fields of a compound id.
      """
    case .noSuchTag(_, let list, _):
      "'listsync tag \(list)' shows its tags. Name a version as \(Revision.forms)."
    case .diverged(_, let list, _):
      """
      The cursor comes from another store, or from before a restore. Start over with 'listsync \
      show \(list)'.
      """
    case .expectationFailed(_, let list, let head):
      "Nothing was changed. See 'listsync log \(list)', then commit with --expect \(head.short)."
    case .notTheStart(_, let list, let head):
      """
      Nothing was changed. Get the changes since \(head.short) from the source of the delta, with \
      'listsync delta \(list) --since \(head.short)'.
      """
    case .limit(let exceeded, _, _): "Nothing was changed. \(advice(on: exceeded.limit))"
    case .datedBeforeHead:
      """
      Nothing was changed. A date names the highest version that is dated then or before, so \
      older dates would name this version from now on. Name a later time with --at, or add \
      --allow-earlier-date.
      """
    case .removesTooMany:
      "Nothing was changed. If that is right, commit again with --force-removed."
    case .misfit(let list, _):
      """
      Nothing was changed: make the delta again from the head, with 'listsync delta \(list) \
      --since VERSION' or 'listsync edit \(list) --dry-run'.
      """
    case .besideItself: "Nothing was changed. Name another item as its neighbour."
    case .noSuchPlace: "Nothing was changed. Name another place with --to, --before or --after."
    case .importOvertaken:
      "The versions of both are kept, each once. Wait for the other, or try again."
    case .notImported(_, let head):
      """
      Nothing was imported. Name the commit of version \(head) with --from COMMIT, or import the \
      history into another list with --list.
      """
    case .tagTaken(_, _, _, let asked):
      "Nothing was changed. Use another tag, or move this one to version \(asked) with --force."
    case .rangeLikeTag: "Nothing was changed. Use another tag."
    case .zeroTagged(_, let list): "Name another version; 'listsync log \(list)' shows them."
    case .datedInFuture: "Nothing was pruned. Set the clock, or prune with --keep-last alone."
    case .mayHaveLeapt:
      """
      Nothing was pruned. Set the clock; add --trust-dates if the dates are right; or use \
      --keep-last alone, which needs no dates.
      """
    case .tokenTaken(let token):
      """
      Nothing was made. Use another name, or revoke that token with 'listsync token revoke \
      \(token)'.
      """
    case .noSuchToken: "'listsync token list' shows all tokens, including revoked ones."
    case .endsBefore: "Name a later version with --until."
    case .emptyBundle: "Name an older version with --since, or a newer one with --to."
    case .tooNew(_, _, let head):
      """
      Nothing was changed. Make a bundle \
      \(head.version == .zero ? "without --since" : "with --since \(head.short)") from the other \
      store.
      """
    case .endsTooOld(_, let list, _):
      "Nothing was changed. \(list) has all versions that it is to keep."
    case .brokenBundle: "Nothing was changed. Create the bundle again from the other store."
    case .broken: "Run 'listsync verify', and restore the store from a backup."
    }
  }
}

extension Failure.Code {
  fileprivate init(_ error: ServiceError) {
    self =
      switch error.kind {
      case .notFound, .gone, .noSuchVersion, .noSuchItem: .notFound
      case .tooOld, .diverged: .diverged
      case .preconditionFailed, .removesTooMany: .expectation
      case .damaged: .integrity
      case .busy: .busy
      default: .failure
      }
    if case .noSuchPlace = error { self = .notFound }
    if case .rangeLikeTag = error { self = .usage }
  }
}

extension ServiceError {
  /// The names that there are in place of one that there is not.
  fileprivate var known: String? {
    switch self {
    case .noSuchTag(let name, _, let known):
      Nearest.text(to: name.text, among: known.map(\.text))
    case .noSuchToken(let name, let known):
      Nearest.text(to: name.text, among: known.map(\.text))
    default: nil
    }
  }
}
