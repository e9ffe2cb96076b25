import ListModel
import ListStore

/// Resolves names and revisions to records.
extension ListReader {
  /// - Parameter queries: what will be read of the list.
  func existingList(_ name: ListName, for queries: [ListQuery] = []) throws -> ListRecord {
    try existing(list(name, for: queries), name)
  }

  /// - Throws: `ServiceError.gone` or `.noSuchList` if there is no list.
  fileprivate func existing(_ list: ListRecord?, _ name: ListName) throws -> ListRecord {
    if let list { return list }
    if let former = try retiredList(name) { throw ServiceError.gone(former) }
    throw ServiceError.noSuchList(name)
  }

  /// - Throws: `ServiceError.gone` for the name of a list that was dropped or renamed.
  func checkIsNew(_ name: ListName) throws {
    if let former = try retiredList(name) { throw ServiceError.gone(former) }
  }

  /// The key of an item that the list has or had.
  ///
  /// - Throws: `ServiceError.noSuchItem`.
  func existingItem(_ id: ItemID, of list: ListRecord) throws -> ItemKey {
    guard let key = try keys(of: [id], in: list.key)[0] else {
      throw ServiceError.noSuchItem(id, list: list.name)
    }
    return key
  }

  func existingTag(_ name: TagName, of list: ListRecord) throws -> TagRecord {
    guard let tag = try tag(name, of: list.key) else {
      let known = try tags(of: list.key).map(\.name)
      throw ServiceError.noSuchTag(name, list: list.name, known: known)
    }
    return tag
  }

  /// The state of a version that exists; version 0 always does.
  func state(of version: Version, in list: ListRecord) throws -> ListState {
    if version == .zero { return .zero }
    return try record(of: version, in: list).state
  }

  func record(of version: Version, in list: ListRecord) throws -> VersionRecord {
    if version > .zero, version < list.oldest, version <= list.head {
      throw list.tooOld(version.description)
    }
    guard let record = try versions(version...version, of: list.key).first else {
      if version > .zero, version <= list.head {
        throw StoreError.corrupt(reason: "version \(version) of \(list.name) is missing")
      }
      throw list.noSuchVersion(version.description)
    }
    return record
  }

  /// The records of versions that a list still has, in ascending order.
  ///
  /// - Throws: `StoreError.corrupt` where one is missing.
  func records(of range: ClosedRange<Version>, in list: ListRecord) throws -> [VersionRecord] {
    let records = try versions(range, of: list.key)
    guard records.count == range.upperBound.number - range.lowerBound.number + 1 else {
      throw StoreError.corrupt(reason: "a version of \(list.name) is missing")
    }
    return records
  }

  /// The state that a revision names.
  ///
  /// - Throws: `ServiceError.noSuchVersion`, `.tooOld`, `.noVersionAt`, `.noSuchTag` or
  ///   `.diverged`.
  func state(of revision: Revision, in list: ListRecord) throws -> ListState {
    switch revision {
    case .head(let back):
      guard back <= list.head.number else {
        throw list.noSuchVersion(revision.description)
      }
      return try state(of: Version(list.head.number - back), in: list)
    case .version(let version):
      return try state(of: version, in: list)
    case .cursor(let cursor):
      return try state(of: cursor, in: list)
    case .tag(let name):
      return try state(of: existingTag(name, of: list).version, in: list)
    case .date(let date):
      guard let record = try newestVersion(of: list.key, notAfter: date.end) else {
        if list.oldest > Version(1) {
          throw list.tooOld(revision.description)
        }
        let first = try versions(list.oldest...list.oldest, of: list.key).first
        throw ServiceError.noVersionAt(date.end, list: list.name, first: first?.note.time)
      }
      return record.state
    }
  }

  private func state(of cursor: Cursor, in list: ListRecord) throws -> ListState {
    let known = min(cursor.version, list.head)
    let state = try state(of: known, in: list)
    guard cursor.names(state.knownCursor) else {
      throw ServiceError.diverged(cursor, list: list.name, here: state.knownCursor)
    }
    return state
  }
}

extension ListRecord {
  /// The error for a revision whose version was pruned.
  func tooOld(_ revision: String) -> ServiceError {
    .tooOld(revision, list: name, oldest: oldest, head: head)
  }

  fileprivate func noSuchVersion(_ revision: String) -> ServiceError {
    .noSuchVersion(revision, list: name, oldest: oldest, head: head)
  }
}

extension ListWriter {
  /// Locks a list.
  func existingLockedList(_ name: ListName) throws -> ListRecord {
    try existing(lockedList(name), name)
  }

  /// Creates a list of a name that no list has.
  ///
  /// - Throws: `ServiceError.gone` for the name of a list that was dropped or renamed.
  func makeList(_ name: ListName) throws -> ListRecord {
    try checkIsNew(name)
    return try createList(name)
  }
}
