import ListChanges
import ListModel
import ListStore

/// Requests that were carried out before: the answer was lost, or somebody else made the same
/// change from the same version.
extension Head {
  /// The outcome of a request for an earlier version than the head; nil if the version after that
  /// one differs from what the request leads to, or is pruned.
  ///
  /// - Complexity: O(1) rows for whole lists, reverts and changes that name their end. For edits
  ///   and other changes, reads the step of that version if it may be theirs, and O(n) numbers of n
  ///   items if its items have the contents that the request gives them.
  func outcome(ofRepeated request: CommitRequest) throws -> CommitOutcome? {
    for version in request.starts(before: list.head) where version.next >= list.firstStep {
      let before = try reader.state(of: version, in: list)
      guard (try? request.check(before)) != nil, let content = request.content.seen(at: version)
      else { continue }
      let record = try reader.record(of: version.next, in: list)
      do {
        guard try leads(content, from: before, to: record) else { continue }
        let message = try request.message ?? reader.standardMessage(of: content, in: list)
        let isOwn =
          request.author.hasSameBytes(as: record.note.author)
          && message.hasSameBytes(as: record.note.message)
        return .found(record, isOwn: isOwn)
      } catch let error as ServiceError {
        // The request was refused there, unless the list is damaged.
        if case .broken = error { throw error }
      }
    }
    return nil
  }

  private func leads(
    _ content: CommitRequest.Content, from before: ListState, to record: VersionRecord
  ) throws -> Bool {
    switch content {
    case .whole, .changes(_, _, to: _?): return content.leads(to: record.state)
    case .revert(let revision):
      return record.state.hasSameItems(as: try reader.state(of: revision, in: list))
    case .changes(let changes, _, to: nil):
      return try steps(changes.counts.total, changes.results, from: before, to: record) {
        try $0.step(changes)
      }
    case .edits(let edits):
      return try steps(edits.count, edits.results, from: before, to: record) {
        try $0.step(edits)
      }
    }
  }

  /// Whether a request makes the step that leads to a version. Two lists have one canonical step.
  ///
  /// - Parameters:
  ///   - size: how many changes the request names. Its step has at most twice as many, since an
  ///     item that moved and changed counts as two.
  ///   - results: the contents that the request gives to items; nil for those that it removes.
  ///   - make: makes the step.
  private func steps(
    _ size: Int, _ results: [ItemID: Content?], from before: ListState, to record: VersionRecord,
    _ make: (inout Head) throws -> ChangeSet<Item>
  ) throws -> Bool {
    guard record.changes.total <= 2 * size else { return false }
    let step = try reader.delta(of: list, from: before, to: record.state).changes
    let given = step.inserted.map(\.element) + step.updated.map(\.new)
    guard step.removed.allSatisfy({ results[$0.element.id] == .some(nil) }),
      given.allSatisfy({ results[$0.id] == $0.content })
    else { return false }
    var head = try Head(of: list, at: before.version, in: reader)
    return try make(&head) == step
  }
}

extension CommitRequest {
  /// The versions before the head from which the request may have been made, newest first.
  fileprivate func starts(before head: Version) -> [Version] {
    var versions = expected.compactMap(\.version)
    if case .changes(_, let start, _) = content {
      // A start without a cursor is that of the newest version, as far as anybody can tell.
      if let cursor = start.cursor { versions = [cursor.version] }
      if versions.isEmpty, head > .zero { versions = [Version(head.number - 1)] }
    }
    return versions.filter { $0 < head }.sorted(by: >)
  }
}

extension CommitRequest.Content {
  /// The content as it was meant at an earlier version: `head~2` named another version then. Nil if
  /// it named none.
  fileprivate func seen(at head: Version) -> Self? {
    guard case .revert(to: .head(let back)) = self else { return self }
    return back <= head.number ? .revert(to: .version(Version(head.number - back))) : nil
  }
}

extension [Edit] {
  fileprivate var results: [ItemID: Content?] {
    reduce(into: [:]) { results, edit in
      switch edit {
      case .remove(let id): results[id] = .some(nil)
      case .put(let item, _): results[item.id] = item.content
      case .move: break
      }
    }
  }
}

extension BareChanges {
  fileprivate var results: [ItemID: Content?] {
    var results: [ItemID: Content?] = [:]
    for removal in removed { results[removal.id] = .some(nil) }
    for item in inserted.map(\.item) + updated.map(\.item) { results[item.id] = item.content }
    return results
  }
}
