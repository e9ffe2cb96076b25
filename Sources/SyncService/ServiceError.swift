import ListModel
import ListStore

/// The reason for which a request was refused.
///
/// The doc comments of functions name a group by its heading: "`ServiceError` of looking up".
public enum ServiceError: Error, Equatable, Sendable {
  // When something is looked up.

  /// Thrown when there is no list of that name.
  case noSuchList(ListName)
  /// Thrown when a list was dropped or renamed, and no list has the name since.
  case gone(RetiredList)
  /// Thrown when a list has no such version; it has versions `oldest` to `head`.
  case noSuchVersion(String, list: ListName, oldest: Version, head: Version)
  /// Thrown when a version was pruned; the list has versions `oldest` to `head`.
  case tooOld(String, list: ListName, oldest: Version, head: Version)
  /// Thrown when the first version of a list is later than a date.
  case noVersionAt(Timestamp, list: ListName, first: Timestamp?)
  /// Thrown when an item is not, and never was, in a list.
  case noSuchItem(ItemID, list: ListName)
  /// Thrown when a list has no tag of that name; `known` are its tags.
  case noSuchTag(TagName, list: ListName, known: [TagName])
  /// Thrown when a cursor names a version that this list has with another chain, or does not have
  /// yet: the cursor comes from another store, or from before a restored backup.
  case diverged(Cursor, list: ListName, here: Cursor)

  // When something is committed.

  /// Thrown when an item exceeds a limit, or, if `item` is nil, the whole commit or list.
  case limit(ExceededLimit, list: ListName, item: ItemID?)
  /// Thrown when the head is not the version or cursor that the author has seen.
  case expectationFailed(expected: [Revision], list: ListName, head: Cursor)
  /// Thrown when a commit is merged, and both sides changed something since `base` in ways that
  /// exclude each other, and no side is preferred.
  case conflicts(MergeConflicts, list: ListName, base: Cursor, head: Cursor)
  /// Thrown when changes start from another state than the head.
  case notTheStart(expected: Cursor?, list: ListName, head: Cursor)
  /// Thrown when changes do not fit their list, or lead to another state than they say.
  case misfit(list: ListName, reason: String)
  /// Thrown when an edit names an item that the list does not hold at this point; `wasRemoved` if
  /// an earlier edit of the same request removed it. `edit` is the edit's index in the request, and
  /// nil when an item was only looked up.
  case itemAbsent(ItemID, list: ListName, wasRemoved: Bool, edit: Int?)
  /// Thrown when an edit places an item before or behind itself.
  case besideItself(ItemID, list: ListName, edit: Int)
  /// Thrown when an edit puts an item at an index outside of the list.
  case noSuchPlace(Int, list: ListName, highest: Int, edit: Int)
  /// Thrown when a commit gives a time before that of the head, and does not allow it; a date would
  /// then name later versions than before.
  case datedBeforeHead(Timestamp, list: ListName, head: Version, time: Timestamp)
  /// Thrown when a whole list or changes remove or update so many `of` the head's items, and
  /// `limit` allows fewer.
  case changesTooMany(LimitedChange, Int, of: Int, list: ListName, limit: ChangeLimit)
  /// Thrown when the ids of a whole list were found by another rule than those of the head, and the
  /// list has none of the ids of the head's `count` items.
  case newIDs(Int, list: ListName, rule: String, former: String)
  /// Thrown when an item cannot have got another id.
  case notSame(SameItem, list: ListName, reason: OtherIDFault)
  /// Thrown when another import from the same source stored states at the same time.
  case importOvertaken(source: String, list: ListName)
  /// Thrown when an import goes into a list whose versions were not imported: they may be the same
  /// history, applied from a bundle.
  case notImported(list: ListName, head: Version)

  // When a list is renamed.

  /// Thrown when a list of the new name exists.
  case nameTaken(ListName)

  // When versions are tagged or pruned.

  /// Thrown when the version `by` has the tag, and `not` should get it.
  case tagTaken(TagName, list: ListName, by: Version, not: Version)
  /// Thrown when a version should get a tag that reads as two versions, such as `a..b`.
  case rangeLikeTag(TagName, list: ListName)
  /// Thrown when version 0 is tagged: it is the empty list in every history.
  case zeroTagged(TagName, list: ListName)
  /// Thrown when versions are pruned by age, and one is dated in the future.
  case datedInFuture(Version, time: Timestamp, now: Timestamp)
  /// Thrown when versions are pruned by age, and after one of them nothing was committed for longer
  /// than `period`: the list did not change, or the clock has leapt.
  case mayHaveLeapt(after: Version, from: Timestamp, to: Timestamp, period: RetentionPeriod)

  // When tokens are made or revoked.

  /// Thrown when a token in force has the name.
  case tokenTaken(TokenName)
  /// Thrown when no token of that name is in force; `known` are the ones in force.
  case noSuchToken(TokenName, known: [TokenName])

  // When versions go from store to store.

  /// Thrown when a bundle would have no version.
  case emptyBundle(list: ListName, from: Cursor, to: Cursor)
  /// Thrown when the last version of a proof is before the one that it is about.
  case endsBefore(list: ListName, from: Cursor, to: Cursor)
  /// Thrown when a bundle starts after the head of the list.
  case tooNew(start: Cursor, list: ListName, head: Cursor)
  /// Thrown when a bundle, or the source of a copy, ends before the oldest version of the list.
  case endsTooOld(target: Cursor, list: ListName, oldest: Cursor)
  /// Thrown when a version of a bundle contradicts its record.
  case brokenBundle(list: ListName, version: Version, reason: String)

  // When stored versions are read.

  /// Thrown when a stored version contradicts its root, counts or chain.
  case broken(list: ListName, version: Version, reason: String)
}

/// The reason for which an item cannot have got another id.
public enum OtherIDFault: Equatable, Sendable {
  /// The head has no item with the old id.
  case oldIsAbsent
  /// The new list has the old id too.
  case oldStays
  /// The new list has no item with the new id.
  case newIsAbsent
  /// The head has the new id already.
  case newWasThere
}

extension ServiceError: DamageError {
  public var saysDamage: Bool { if case .broken = self { true } else { false } }
}
