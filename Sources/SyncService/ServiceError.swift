import ListModel

/// Why a request was refused.
public enum ServiceError: Error, Equatable, Sendable {
  // When something is looked up.

  /// Thrown when there is no list of that name; `known` are the ones that there are.
  case noSuchList(ListName, known: [ListName])
  /// Thrown when a list has no such version; it has those from `oldest` to `head`.
  case noSuchVersion(String, list: ListName, oldest: Version, head: Version)
  /// Thrown when a version was pruned; the list has those from `oldest` to `head`.
  case tooOld(String, list: ListName, oldest: Version, head: Version)
  /// Thrown when the first version of a list is younger than the date asked for.
  case noVersionAt(Timestamp, list: ListName, first: Timestamp?)
  /// Thrown when an item is not, and never was, in a list.
  case noSuchItem(ItemID, list: ListName)
  /// Thrown when a list has no tag of that name; `known` are the ones that it has.
  case noSuchTag(TagName, list: ListName, known: [TagName])
  /// Thrown when a cursor names a version that this list has with another chain, or does not have
  /// yet: it comes from another store, or from before a restored backup.
  case diverged(Cursor, list: ListName, here: Cursor)

  // When something is committed.

  /// Thrown when what comes in is larger than a limit allows: the item, or the commit or list as a
  /// whole where there is none.
  case limit(ExceededLimit, list: ListName, item: ItemID?)
  /// Thrown when the head is not the cursor that the author had seen.
  case expectationFailed(expected: String, list: ListName, head: Cursor)

  /// Thrown when changes do not fit the list that they are for, or do not lead where they say.
  case misfit(list: ListName, reason: String)
  /// Thrown when an edit names an item that the list does not hold at this point; `wasRemoved`
  /// tells whether an earlier edit of the same request took it out.
  case itemAbsent(ItemID, list: ListName, wasRemoved: Bool)
  /// Thrown when an item is to be put at an index that the list would not have.
  case noSuchPlace(Int, list: ListName, highest: Int)
  /// Thrown when another import from the same source stored states meanwhile.
  case importOvertaken(source: String, list: ListName)
  /// Thrown when a history was to be imported into a list whose versions were not imported: perhaps
  /// they are that history, and came in a bundle.
  case notImported(list: ListName, head: Version)

  // When versions are tagged or pruned.

  /// Thrown when the version `by` bears the name, and another was to.
  case tagTaken(TagName, list: ListName, by: Version, not: Version)
  /// Thrown when version 0 was to bear a name: it is the empty list in every history.
  case zeroTagged(TagName, list: ListName)
  /// Thrown when versions were to go by age, and one is dated after the clock.
  case datedInFuture(Version, time: Timestamp, now: Timestamp)
  /// Thrown when versions were to go by age, and after one of them nothing was committed for longer
  /// than versions are kept: the list stood still, or the clock has leapt.
  case mayHaveLeapt(after: Version, from: Timestamp, to: Timestamp, period: RetentionPeriod)

  // When tokens are made or revoked.

  /// Thrown when a token that is in force bears the name.
  case tokenTaken(TokenName)
  /// Thrown when no token of that name is in force; `known` are those that are.
  case noSuchToken(TokenName, known: [TokenName])

  // When versions are handed from store to store.

  /// Thrown when no version lies between the two that a range was asked for.
  case emptyRange(list: ListName, from: Cursor, to: Cursor)
  /// Thrown when versions go on from a state that the list has not reached yet.
  case tooNew(start: Cursor, list: ListName, head: Cursor)
  /// Thrown when versions end before the oldest one that the list still has.
  case endsTooOld(target: Cursor, list: ListName, oldest: Cursor)
  /// Thrown when a version is not what its record says.
  case brokenRange(list: ListName, version: Version, reason: String)

  // When stored versions are read.

  /// Thrown when a stored version is not what its checksum, counts or chain say.
  case broken(list: ListName, version: Version, reason: String)
}
