import ListDocuments
import ListModel
import ListStore

/// Says what is wrong, for people. A program adds what to do about it.
extension ServiceError: CustomStringConvertible {
  public var description: String { sentence { $0.description } }

  /// - Parameter time: writes a time.
  package func sentence(_ time: (Timestamp) -> String) -> String {
    switch self {
    case .noSuchList(let list): "there is no list '\(list)'"
    case .gone(let former):
      """
      \(former.name) was \(former.newName.map { "renamed to \($0)" } ?? "dropped") at \
      \(time(former.leftAt)); its last version was \(former.cursor.short)
      """
    case .noSuchVersion(let text, let list, let oldest, let head):
      """
      \(list) has no version \(text.shortened); it has \
      \(head < oldest ? "only 0, the empty list" : "0 and \(oldest) to \(head)")
      """
    case .tooOld(let text, let list, let oldest, let head):
      "\(list) version \(text.shortened) was pruned; it has \(oldest) to \(head)"
    case .noVersionAt(let date, let list, let first):
      """
      \(list) has no version from \(time(date)) or earlier; \
      \(first.map { "its first is from \(time($0))" } ?? "it has none yet")
      """
    case .noSuchItem(let id, let list):
      "no kept version of \(list) contains an item '\(id.text.shortened)'"
    case .noSuchTag(let tag, let list, known: _): "\(list) has no tag '\(tag)'"
    case .diverged(let cursor, let list, let here):
      "\(list) diverged: its history, now at \(here.short), does not contain \(cursor.short)"
    case .limit(let exceeded, let list, let item):
      "\(list)\(item.map { ", item '\($0.text.shortened)'" } ?? ""): \(exceeded)"
    case .expectationFailed(let expected, let list, let head):
      "\(list) is at \(head.short), not at \(Self.text(of: expected))"
    case .conflicts(let conflicts, let list, let base, let head):
      """
      \(list): \(conflicts.count) conflict\(conflicts.count == 1 ? "" : "s") between the changes \
      to \(base.short) and those up to \(head.short)
      """
    case .notTheStart(let expected, let list, let head):
      """
      \(list) is at \(head.short), but the changes start from \
      \(expected?.short ?? "the list that they name")
      """
    case .misfit(let list, let reason): "the changes do not fit \(list): \(reason.shortened)"
    case .itemAbsent(let id, let list, let wasRemoved, edit: _):
      wasRemoved
        ? "item '\(id.text.shortened)' of \(list) was removed by an earlier edit"
        : "\(list) has no item '\(id.text.shortened)'"
    case .besideItself(let id, let list, edit: _):
      "item '\(id.text.shortened)' of \(list) cannot be placed beside itself"
    case .noSuchPlace(let index, let list, let highest, edit: _):
      "\(list) has no place \(index); it has 0 to \(highest)"
    case .datedBeforeHead(let date, let list, let head, let headTime):
      "\(time(date)) is before the date of \(list) version \(head), \(time(headTime))"
    case .changesTooMany(let kind, let changed, of: let count, let list, let limit):
      """
      \(list): \(changed) of \(count) items would be \(kind), and at most \
      \(Self.text(of: limit, count)) may be
      """
    case .newIDs(let count, let list, let rule, let former):
      """
      \(list): none of the ids of its \(count) item\(count == 1 ? "" : "s") would stay; they were \
      found by \(Self.words(former)), and would be found by \(Self.words(rule))
      """
    case .notSame(let same, let list, let reason): Self.text(of: same, list, reason)
    case .importOvertaken(let source, let list):
      "another import of \(source.shortened) into \(list) is running"
    case .notImported(let list, let head):
      """
      \(list) has versions up to \(head) that were not imported from this repository: an import \
      could repeat them
      """
    case .nameTaken(let list): "there is a list '\(list)' already"
    case .tagTaken(let tag, let list, let version, not: _):
      "\(list) version \(version) already has the tag \(tag)"
    case .rangeLikeTag(let tag, let list):
      "a tag has no two dots in a row: 'diff \(list)@\(tag)' names two versions"
    case .zeroTagged(let tag, let list):
      "\(list) version 0 cannot be tagged \(tag): it is the empty list"
    case .datedInFuture(let version, let date, let now):
      """
      version \(version) is dated \(time(date)), but now it is \(time(now)): the clock or the \
      date is wrong, so ages are unknown
      """
    case .mayHaveLeapt(let version, let start, let end, let period):
      """
      nothing was committed after version \(version) from \(time(start)) to \(time(end)), longer \
      than \(period): the clock may be wrong
      """
    case .tokenTaken(let token): "there is a token '\(token)' already"
    case .noSuchToken(let token, known: _): "there is no valid token '\(token)'"
    case .emptyBundle(let list, let from, let to):
      "\(list): no version lies between \(from) and \(to)"
    case .endsBefore(let list, let from, let to):
      "\(list) version \(to.short) is before version \(from.short), which is to be proved"
    case .tooNew(let start, let list, let head):
      """
      \(head.version == .zero ? "there is no list '\(list)'" : "\(list) is at \(head.short)"), but \
      the bundle continues from \(start.short)
      """
    case .endsTooOld(let target, let list, let oldest):
      "the bundle ends at \(target.short), but \(list) was pruned and begins at \(oldest.short)"
    case .brokenBundle(let list, let version, let reason):
      "version \(version) of \(list) is wrong in the bundle: \(reason.shortened)"
    case .broken(let list, let version, let reason):
      "\(list) version \(version) is damaged: \(reason)"
    }
  }
}

extension ServiceError {
  /// The kind of problem that a server tells.
  package var kind: ProblemKind {
    switch self {
    case .noSuchList, .noSuchToken: .notFound
    case .gone: .gone
    case .noSuchVersion, .noVersionAt, .noSuchTag: .noSuchVersion
    case .tooOld, .endsTooOld: .tooOld
    case .noSuchItem, .itemAbsent: .noSuchItem
    case .diverged, .tooNew: .diverged
    case .limit: .tooLarge
    case .expectationFailed, .notTheStart, .notImported: .preconditionFailed
    case .misfit, .besideItself, .noSuchPlace, .datedBeforeHead, .nameTaken, .tagTaken,
      .zeroTagged, .datedInFuture, .mayHaveLeapt, .tokenTaken,
      .newIDs, .notSame:
      .unprocessable
    case .changesTooMany(.removed, _, _, _, _): .removesTooMany
    case .changesTooMany(.updated, _, _, _, _): .updatesTooMany
    case .conflicts: .conflicts
    case .rangeLikeTag, .emptyBundle, .endsBefore: .invalidRequest
    case .importOvertaken: .busy
    case .broken, .brokenBundle: .damaged
    }
  }
}

extension ServiceError {
  fileprivate static func text(of expected: [Revision]) -> String {
    expected == [.head] ? "any version" : expected.map(\.short).joined(separator: " or ")
  }

  private static func text(
    of same: SameItem, _ list: ListName, _ reason: OtherIDFault
  ) -> String {
    let (old, new) = ("'\(same.old.text.shortened)'", "'\(same.new.text.shortened)'")
    let fault =
      switch reason {
      case .oldIsAbsent: "\(list) has no item \(old)"
      case .oldStays: "the new list still has the item \(old)"
      case .newIsAbsent: "the new list has no item \(new)"
      case .newWasThere: "\(list) had the item \(new) before"
      }
    return "item \(old) cannot have the id \(new) from now on: \(fault)"
  }

  /// An id rule as people read it.
  fileprivate static func words(_ rule: String) -> String {
    IDRule(text: rule)?.words ?? rule.shortened
  }

  fileprivate static func text(of limit: ChangeLimit, _ count: Int) -> String {
    let highest = "\(limit.highest(of: count))"
    return if case .percent(let percent) = limit { "\(percent) % (\(highest))" } else { highest }
  }
}
