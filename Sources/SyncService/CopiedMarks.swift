import ListModel
import ListStore

/// A tag, title or limit of changes that a copy of a list does not get.
public enum SkippedMetadata: Equatable, Sendable {
  /// The tag's version was pruned, here or there.
  case prunedTag(TagName, of: Version)
  /// The list here has the tag at another version.
  case takenTag(TagName, of: Version, here: Version)
  /// The list here has another title.
  case otherTitle(JSONPointer, here: JSONPointer)
  /// The list here has another limit of changes.
  case otherLimit(LimitedChange, ChangeLimit, here: ChangeLimit)
}

/// The tags, the title and the limits of changes of a list that is copied.
struct CopiedMarks: Sendable {
  /// Tags with the chains of their versions; nil for a version that was pruned.
  let tags: [(tag: TagRecord, chain: Chain?)]
  let title: JSONPointer?
  let limits: ChangeLimits

  /// The tags, title and limit that a list here gets.
  struct Plan: Sendable {
    var tags: [TagRecord] = []
    var title: JSONPointer?
    var limits: [LimitedChange: ChangeLimit] = [:]
    var leftOut: [SkippedMetadata] = []

    var addsSomething: Bool { !tags.isEmpty || title != nil || !limits.isEmpty }
  }
}

extension ListReader {
  func marks(of list: ListRecord) throws -> CopiedMarks {
    CopiedMarks(
      tags: try tags(of: list.key).map { ($0, try chain(of: $0, in: list)) },
      title: try titlePath(of: list.key), limits: list.limits)
  }

  /// The chain of a tag's version; nil if it was pruned.
  private func chain(of tag: TagRecord, in list: ListRecord) throws -> Chain? {
    tag.version < list.oldest ? nil : try record(of: tag.version, in: list).chain
  }

  /// - Throws: `ServiceError.diverged` when a version with a tag is another one here.
  func plan(_ marks: CopiedMarks, for list: ListRecord) throws -> CopiedMarks.Plan {
    var plan = CopiedMarks.Plan()
    let here = Dictionary(uniqueKeysWithValues: try tags(of: list.key).map { ($0.name, $0) })
    for (tag, chain) in marks.tags {
      if let own = here[tag.name] {
        if own.version != tag.version {
          plan.leftOut.append(.takenTag(tag.name, of: tag.version, here: own.version))
        }
      } else if tag.version > list.head {
        // A version that was committed meanwhile waits for the next copy, with its tag.
        continue
      } else if let chain, tag.version >= list.oldest {
        let record = try record(of: tag.version, in: list)
        guard record.chain == chain else {
          throw ServiceError.diverged(
            Cursor(version: tag.version, chain: chain), list: list.name,
            here: try state(of: list.head, in: list).knownCursor)
        }
        plan.tags.append(tag)
      } else {
        plan.leftOut.append(.prunedTag(tag.name, of: tag.version))
      }
    }
    for kind in LimitedChange.allCases {
      switch (marks.limits[kind], list.limits[kind]) {
      case (.unlimited, _): break
      case (let limit, .unlimited): plan.limits[kind] = limit
      case (let limit, let own):
        if limit != own { plan.leftOut.append(.otherLimit(kind, limit, here: own)) }
      }
    }
    guard let title = marks.title else { return plan }
    switch try titlePath(of: list.key) {
    case nil: plan.title = title
    case title: break
    case let own?: plan.leftOut.append(.otherTitle(title, here: own))
    }
    return plan
  }
}
