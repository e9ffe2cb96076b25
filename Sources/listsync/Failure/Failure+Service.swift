import ListModel
import SyncService
import Terminal

extension Failure {
  init(_ error: ServiceError) {
    switch error {
    case .noSuchList(let name, let known):
      let names = Nearest.text(to: name.text, among: known.map(\.text))
      self.init(
        .notFound, "there is no list '\(name)'; \(names)",
        "Make it with 'listsync commit \(name) FILE', or check --store.")
    case .noSuchVersion(let text, let list, let oldest, let head):
      let range = head < oldest ? "only 0, the empty list" : "0 and \(oldest) to \(head)"
      self.init(
        .notFound, "\(list) has no version \(text); it has \(range)",
        "'listsync log \(list)' shows them.")
    case .tooOld(let text, let list, let oldest, let head):
      self.init(
        .diverged, "\(list) version \(text) was pruned; it has \(oldest) to \(head)",
        "Start over with 'listsync show \(list)', or ask with --fallback snapshot.")
    case .noVersionAt(let time, let list, let first):
      let start = first.map { "its first is of \(Wording.time($0))" } ?? "it has none yet"
      self.init(.notFound, "\(list) has no version of \(Wording.time(time)) or before; \(start)")
    case .noSuchItem(let id, let list):
      self.init(
        .notFound,
        "\(list) never held an item '\(Output.printable(id.text))' in a version that is kept",
        "Ids are compared byte by byte; repeat --item for the parts of a compound id.")
    case .itemAbsent(let id, let list, let wasRemoved):
      let name = Output.shortened(id.text)
      self.init(
        .notFound,
        wasRemoved
          ? "item '\(name)' of \(list) was removed by an earlier edit of the same call"
          : "\(list) has no item '\(name)' at this point",
        """
        Nothing was changed: 'listsync show \(list)' shows the items. Ids are compared byte by byte; \
        U+001F joins the parts of a compound id.
        """)
    case .noSuchTag(let name, let list, let known):
      let names = Nearest.text(to: name.text, among: known.map(\.text))
      self.init(
        .notFound, "\(list) has no tag '\(name)'; \(names)",
        "A version is named \(Revision.forms).")
    case .diverged(let cursor, let list, let here):
      self.init(
        .diverged, "\(list) diverged: \(cursor) is not of this history, which stands at \(here)",
        """
        The cursor comes from another store or a restored one: start over with 'listsync show \
        \(list)'.
        """
      )
    case .expectationFailed(let expected, let list, let head):
      self.init(
        .expectation, "\(list) stands at \(head), not at \(expected)",
        "Look at 'listsync log \(list)', then commit with --expect \(head).")
    case .limit(let exceeded, let list, let item):
      let place = item.map { ", item '\(Output.shortened($0.text))'" } ?? ""
      self.init(.failure, "\(list)\(place): \(exceeded)", Self.advice(on: exceeded.limit))
    case .misfit(let list, let reason):
      self.init(
        .failure, "the changes do not fit \(list): \(Output.printable(reason))",
        """
        Nothing was changed: make the delta anew from the head, with 'listsync delta \(list)' or \
        'listsync edit'.
        """)
    case .noSuchPlace(let index, let list, let highest):
      self.init(
        .notFound, "\(list) has no place \(index); it has 0 to \(highest)",
        "Nothing was changed: name another with --at, --before or --after.")
    case .importOvertaken(let source, let list):
      self.init(
        .busy, "another import of \(Output.printable(source)) into \(list) is at work",
        "What both have stored is kept, each state once: let the other finish, or run this again.")
    case .notImported(let list, let head):
      self.init(
        .expectation,
        """
        \(list) has versions up to \(head) that were not imported here: the history would follow \
        them, though it may be their own
        """,
        """
        Nothing was imported: name the commit that version \(head) comes from with --from COMMIT, or \
        import the history as a list of its own with --list.
        """)
    case .tagTaken(let name, let list, let there, let asked):
      self.init(
        .failure, "\(list) version \(there) is tagged \(name); version \(asked) was not",
        "Who cites the tag means version \(there): take another name, or --force this one.")
    case .zeroTagged(let name, let list):
      self.init(
        .failure,
        "\(list) version 0 cannot be tagged \(name): it is the empty list of every history",
        "Name another version; 'listsync log \(list)' shows them.")
    case .datedInFuture(let version, let time, let now):
      self.init(
        .failure,
        """
        version \(version) is dated \(Wording.time(time)), and it is \(Wording.time(now)): ages \
        cannot be told while the clock or the date is wrong
        """,
        "Nothing was pruned: set the clock, or prune by --keep-last alone.")
    case .mayHaveLeapt(let version, let start, let end, let period):
      self.init(
        .failure,
        """
        nothing was committed after version \(version) from \(Wording.time(start)) to \
        \(Wording.time(end)), longer than \(period): the list stood still, or the clock has leapt
        """,
        """
        Nothing was pruned: set the clock, or where the dates are right say so with --trust-dates; \
        --keep-last alone asks for no dates.
        """)
    case .tokenTaken(let name):
      self.init(
        .failure, "there is a token '\(name)' already",
        """
        Nothing was made: take another name, or revoke that one with 'listsync token revoke \(name)'.
        """)
    case .noSuchToken(let name, let known):
      let names = Nearest.text(to: name.text, among: known.map(\.text))
      self.init(
        .notFound, "no token '\(name)' is in force; \(names)",
        "'listsync token list' shows all, also those that were revoked.")
    case .emptyRange(let list, let from, let to):
      self.init(
        .failure, "\(list): no version lies between \(from) and \(to)",
        "Name an older version with --since, or a newer one with --to.")
    case .tooNew(let start, let list, let head):
      let has = head.version == .zero ? "there is no \(list) here" : "\(list) stands at \(head)"
      let since = head.version == .zero ? "without --since" : "with --since \(head)"
      self.init(
        .diverged, "\(has), and the versions go on from \(start)",
        "Nothing was changed: make a bundle \(since) where they come from.")
    case .endsTooOld(let target, let list, let oldest):
      self.init(
        .diverged, "the versions end at \(target), and \(list) was pruned up to \(oldest)",
        "Nothing was changed, and nothing is missing that \(list) was to keep.")
    case .brokenRange(let list, let version, let reason):
      self.init(
        .integrity,
        "version \(version) of \(list) is not what it says: \(Output.printable(reason))",
        "Nothing was changed. Get the bundle anew from where it was made.")
    case .broken(let list, let version, let reason):
      self.init(
        .integrity, "\(list) version \(version) is damaged: \(reason)",
        "Run 'listsync verify', and restore the store from a backup.")
    }
  }
}
