import ListModel
import ListStore

@testable import SyncService

extension TwinStore {
  package mutating func tag(
    _ name: TagName, of listName: ListName, at revision: Revision, isForced: Bool, now: Timestamp
  ) throws -> TagOutcome {
    var list = try list(listName)
    let version = try list.version(of: revision)
    guard version > 0 else { throw ServiceError.zeroTagged(name, list: listName) }
    let old = list.tags.first { $0.name == name }
    if let old, old.version.number == version {
      return .unchanged(TagEntry(tag: old, record: list.record(version)))
    }
    if let old, !isForced {
      throw ServiceError.tagTaken(name, list: listName, by: old.version, not: Version(version))
    }
    let tag = TagRecord(name: name, version: Version(version), taggedAt: now)
    list.tags = (list.tags.filter { $0.name != name } + [tag]).sorted { $0.name < $1.name }
    self[listName] = list
    let entry = TagEntry(tag: tag, record: list.record(version))
    return old.map { .moved(entry, from: $0.version) } ?? .tagged(entry)
  }

  package mutating func removeTag(_ name: TagName, of listName: ListName) throws -> TagRecord {
    var list = try list(listName)
    guard let tag = list.tags.first(where: { $0.name == name }) else { throw list.noSuchTag(name) }
    list.tags.removeAll { $0.name == name }
    self[listName] = list
    return tag
  }

  package func tags(of name: ListName) throws -> [TagEntry] {
    let list = try list(name)
    return list.tags.map { TagEntry(tag: $0, record: list.record($0.version.number)) }
  }

  /// The versions that a pruning removes: all before the first one that a rule or tag keeps.
  package struct Pruning: Equatable, Sendable {
    package let floor: Version?
    package let removed: ClosedRange<Version>?
    package let holdingTags: [TagName]

    package init(floor: Version?, removed: ClosedRange<Version>?, holdingTags: [TagName]) {
      self.floor = floor
      self.removed = removed
      self.holdingTags = holdingTags
    }
  }

  package func plan(_ request: PruneRequest, now: Timestamp) throws -> Pruning {
    let list = try list(request.list)
    if request.rule.keepWithin != nil,
      let future = list.kept.first(where: { list.record($0).note.time > now })
    {
      throw ServiceError.datedInFuture(
        Version(future), time: list.record(future).note.time, now: now)
    }
    func isKeptByRule(_ version: Int) -> Bool {
      if version == list.head { return true }
      if let count = request.rule.keepLast, list.head - version < count { return true }
      guard let period = request.rule.keepWithin else { return false }
      // It was the newest one until the next came, which may have been within the period.
      let start = now.millisecondsSince1970 - period.milliseconds
      return list.record(version).note.time.millisecondsSince1970 >= start
        || list.record(version + 1).note.time.millisecondsSince1970 > start
    }
    let tagged = Set(list.tags.map(\.version.number))
    guard let floor = list.kept.first(where: { isKeptByRule($0) || tagged.contains($0) }) else {
      return Pruning(floor: nil, removed: nil, holdingTags: [])
    }
    if floor > list.oldest { try list.refuseLeap(request.rule, now: now) }
    return Pruning(
      floor: Version(floor),
      removed: floor > list.oldest ? Version(list.oldest)...Version(floor - 1) : nil,
      holdingTags: isKeptByRule(floor)
        ? [] : list.tags.filter { $0.version.number == floor }.map(\.name).sorted())
  }

  package mutating func prune(
    _ request: PruneRequest, now: Timestamp
  ) throws -> (plan: Pruning, record: PruneRecord?) {
    let plan = try plan(request, now: now)
    guard plan.removed != nil, let floor = plan.floor else { return (plan, nil) }
    var list = try list(request.list)
    let record = PruneRecord(
      oldOldest: Version(list.oldest), newOldest: floor, prunedAt: now, author: request.author,
      rule: request.rule.description, chain: list.record(floor.number).chain)
    list.oldest = floor.number
    list.prunes.insert(record, at: 0)
    self[request.list] = list
    return (plan, record)
  }
}

extension TwinList {
  /// Refuses where the time that a rule looks back on begins in a pause that is longer than it.
  fileprivate func refuseLeap(_ rule: RetentionRule, now: Timestamp) throws {
    guard let period = rule.keepWithin, !rule.trustsDates else { return }
    let start = now.millisecondsSince1970 - period.milliseconds
    let times = kept.map { record($0).note.time }
    let before = times.prefix { $0.millisecondsSince1970 < start }
    guard let last = before.last else { return }
    let next = before.count < times.count ? times[before.count] : now
    if next.millisecondsSince1970 - last.millisecondsSince1970 > period.milliseconds {
      throw ServiceError.mayHaveLeapt(
        after: Version(kept[before.count - 1]), from: last, to: next, period: period)
    }
  }
}
