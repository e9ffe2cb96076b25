import ListDocuments
import ListModel
import ListStore
import SyncService
import Terminal

extension Failure {
  init(_ error: ServiceError) {
    switch error {
    case .noSuchList(let name, let known):
      let names = Nearest.text(to: name.text, among: known.map(\.text))
      self.init(
        .notFound, "there is no list '\(name)'; \(names)",
        "Create it with 'listsync commit \(name) FILE', or check --store.")
    case .gone(let former):
      let act = former.newName.map { "renamed to \($0)" } ?? "dropped"
      self.init(
        .notFound,
        """
        \(former.name) was \(act) at \(Wording.time(former.leftAt)); its last version was \
        \(former.cursor)
        """,
        former.newName.map { "Name the list \($0)." }
          ?? "'listsync commit \(former.name) FILE --begin-again' begins a new list of this name.",
        problem: .gone)
    case .nameTaken(let name):
      self.init(
        .failure, "there is a list '\(name)' already",
        "Nothing was changed. Use another name, or drop that list with 'listsync drop \(name)'.")
    case .noSuchVersion(let text, let list, let oldest, let head):
      let range = head < oldest ? "only 0, the empty list" : "0 and \(oldest) to \(head)"
      self.init(
        .notFound, "\(list) has no version \(text); it has \(range)",
        "'listsync log \(list)' shows its versions.", problem: .noSuchVersion)
    case .tooOld(let text, let list, let oldest, let head):
      self.init(
        .diverged, "\(list) version \(text) was pruned; it has \(oldest) to \(head)",
        "'listsync log \(list)' shows the versions that it has.", problem: .tooOld)
    case .noVersionAt(let time, let list, let first):
      let start = first.map { "its first is from \(Wording.time($0))" } ?? "it has none yet"
      self.init(
        .notFound, "\(list) has no version from \(Wording.time(time)) or earlier; \(start)",
        problem: .noSuchVersion)
    case .noSuchItem(let id, let list):
      self.init(
        .notFound,
        "no kept version of \(list) contains an item '\(Output.printable(id.text))'",
        "Ids are compared byte by byte. Repeat --item for the fields of a compound id.",
        problem: .noSuchItem)
    case .itemAbsent(let id, let list, let wasRemoved, edit: _):
      let name = Output.shortened(id.text)
      self.init(
        .notFound,
        wasRemoved
          ? "item '\(name)' of \(list) was removed by an earlier edit of the same command"
          : "\(list) has no item '\(name)'",
        """
        Nothing was changed. 'listsync show \(list)' shows the items. Ids are compared byte by \
        byte; U+001F separates the fields of a compound id.
        """, problem: .noSuchItem)
    case .noSuchTag(let name, let list, let known):
      let names = Nearest.text(to: name.text, among: known.map(\.text))
      self.init(
        .notFound, "\(list) has no tag '\(name)'; \(names)",
        "Name a version as \(Revision.forms).", problem: .noSuchVersion)
    case .diverged(let cursor, let list, let here):
      self.init(
        .diverged, "\(list) diverged: its history, now at \(here), does not contain \(cursor)",
        """
        The cursor comes from another store, or from before a restore. Start over with 'listsync \
        show \(list)'.
        """, problem: .diverged)
    case .expectationFailed(let expected, let list, let head):
      self.init(
        .expectation, "\(list) is at \(head), not at \(expected)",
        "Nothing was changed. See 'listsync log \(list)', then commit with --expect \(head).")
    case .notTheStart(let expected, let list, let head):
      self.init(
        .expectation, "\(list) is at \(head), but the changes start from \(expected)",
        """
        Nothing was changed. Get the changes since \(head) from the source of the delta, with \
        'listsync delta \(list) --since \(head)'.
        """)
    case .limit(let exceeded, let list, let item):
      let place = item.map { ", item '\(Output.shortened($0.text))'" } ?? ""
      self.init(
        .failure, "\(list)\(place): \(exceeded)",
        "Nothing was changed. \(Self.advice(on: exceeded.limit))", problem: .tooLarge)
    case .datedBeforeHead(let time, let list, let head, let headTime):
      self.init(
        .failure,
        """
        \(Wording.time(time)) is before the date of \(list) version \(head), \
        \(Wording.time(headTime))
        """,
        """
        Nothing was changed. A date names the highest version that is dated then or before, so \
        older dates would name this version from now on. Name a later time with --at, or add \
        --allow-earlier-date.
        """, problem: .unprocessable)
    case .misfit(let list, let reason):
      self.init(
        .failure, "the changes do not fit \(list): \(Output.printable(reason))",
        """
        Nothing was changed: make the delta anew from the head, with 'listsync delta \(list)' or \
        'listsync edit'.
        """, problem: .unprocessable)
    case .noSuchPlace(let index, let list, let highest, edit: _):
      self.init(
        .notFound, "\(list) has no place \(index); it has 0 to \(highest)",
        "Nothing was changed. Name another place with --to, --before or --after.")
    case .importOvertaken(let source, let list):
      self.init(
        .busy, "another import of \(Output.printable(source)) into \(list) is running",
        "The versions of both are kept, each once. Wait for the other, or try again.")
    case .notImported(let list, let head):
      self.init(
        .expectation,
        """
        \(list) has versions up to \(head) that were not imported from this repository: an import \
        could repeat them
        """,
        """
        Nothing was imported. Name the commit of version \(head) with --from COMMIT, or import the \
        history into another list with --list.
        """)
    case .tagTaken(let name, let list, let there, let asked):
      self.init(
        .failure, "\(list) version \(there) already has the tag \(name)",
        "Nothing was changed. Use another tag, or move this one to version \(asked) with --force.")
    case .rangeLikeTag(let name, let list):
      self.init(
        .usage, "a tag has no two dots in a row: 'diff \(list)@\(name)' names two versions",
        "Nothing was changed. Use another tag.")
    case .zeroTagged(let name, let list):
      self.init(
        .failure,
        "\(list) version 0 cannot be tagged \(name): it is the empty list",
        "Name another version; 'listsync log \(list)' shows them.")
    case .datedInFuture(let version, let time, let now):
      self.init(
        .failure,
        """
        version \(version) is dated \(Wording.time(time)), but now it is \(Wording.time(now)): the \
        clock or the date is wrong, so ages are unknown
        """,
        "Nothing was pruned. Set the clock, or prune with --keep-last alone.")
    case .mayHaveLeapt(let version, let start, let end, let period):
      self.init(
        .failure,
        """
        nothing was committed after version \(version) from \(Wording.time(start)) to \
        \(Wording.time(end)), longer than \(period): the clock may be wrong
        """,
        """
        Nothing was pruned. Set the clock; add --trust-dates if the dates are right; or use \
        --keep-last alone, which needs no dates.
        """)
    case .tokenTaken(let name):
      self.init(
        .failure, "there is a token '\(name)' already",
        """
        Nothing was made. Use another name, or revoke that token with 'listsync token revoke \
        \(name)'.
        """)
    case .noSuchToken(let name, let known):
      let names = Nearest.text(to: name.text, among: known.map(\.text))
      self.init(
        .notFound, "there is no valid token '\(name)'; \(names)",
        "'listsync token list' shows all tokens, including revoked ones.")
    case .emptyRange(let list, let from, let to):
      self.init(
        .failure, "\(list): no version lies between \(from) and \(to)",
        "Name an older version with --since, or a newer one with --to.")
    case .tooNew(let start, let list, let head):
      let has = head.version == .zero ? "there is no list '\(list)'" : "\(list) is at \(head)"
      let since = head.version == .zero ? "without --since" : "with --since \(head)"
      self.init(
        .diverged, "\(has), but the bundle continues from \(start)",
        "Nothing was changed. Make a bundle \(since) from the other store.")
    case .endsTooOld(let target, let list, let oldest):
      self.init(
        .diverged, "the bundle ends at \(target), but \(list) was pruned and begins at \(oldest)",
        "Nothing was changed. \(list) has all versions that it is to keep.")
    case .brokenRange(let list, let version, let reason):
      self.init(
        .integrity,
        "version \(version) of \(list) is wrong in the bundle: \(Output.printable(reason))",
        "Nothing was changed. Create the bundle again from the other store.")
    case .broken(let list, let version, let reason):
      self.init(
        .integrity, "\(list) version \(version) is damaged: \(reason)",
        "Run 'listsync verify', and restore the store from a backup.", problem: .damaged)
    }
  }
}
