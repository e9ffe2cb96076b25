import ListModel
import ListStore

/// A tag with its version.
public struct TagEntry: Equatable, Sendable {
  public let tag: TagRecord
  public let record: VersionRecord
}

public enum TagOutcome: Equatable, Sendable {
  case tagged(TagEntry)
  /// The version had the tag already.
  case unchanged(TagEntry)
  /// The tag was moved from another version.
  case moved(TagEntry, from: Version)

  public var entry: TagEntry {
    switch self {
    case .tagged(let entry), .unchanged(let entry), .moved(let entry, from: _): entry
    }
  }
}

extension SyncService {
  /// Tags a version of a list. A tagged version is not pruned. Moves the tag of another version
  /// only if `isForced` is true.
  ///
  /// - Throws: `ServiceError` of looking up; `.tagTaken` when another version
  ///   has the tag; `.zeroTagged` for version 0; `.rangeLikeTag` for a tag that reads as a range.
  public func tag(
    _ name: TagName, of list: ListName, at revision: Revision = .head, isForced: Bool = false
  ) async throws -> TagOutcome {
    let time = now()
    return try await store.write { writer in
      let list = try writer.existingLockedList(list)
      if name.looksLikeRange { throw ServiceError.rangeLikeTag(name, list: list.name) }
      let version = try writer.state(of: revision, in: list).version
      guard version > .zero else { throw ServiceError.zeroTagged(name, list: list.name) }
      let record = try writer.record(of: version, in: list)
      let old = try writer.tag(name, of: list.key)
      if let old, old.version == version {
        return .unchanged(TagEntry(tag: old, record: record))
      }
      if let old, !isForced {
        throw ServiceError.tagTaken(name, list: list.name, by: old.version, not: version)
      }
      let tag = TagRecord(name: name, version: version, taggedAt: time)
      try writer.setTag(tag, of: list.key)
      let entry = TagEntry(tag: tag, record: record)
      return old.map { .moved(entry, from: $0.version) } ?? .tagged(entry)
    }
  }

  /// Removes a tag of a list.
  ///
  /// - Throws: `ServiceError.noSuchList`, `.noSuchTag`.
  public func removeTag(_ name: TagName, of list: ListName) async throws -> TagRecord {
    try await store.write { writer in
      let list = try writer.existingLockedList(list)
      let tag = try writer.existingTag(name, of: list)
      try writer.removeTag(name, of: list.key)
      return tag
    }
  }

  /// The tags of a list, by name.
  ///
  /// - Throws: `ServiceError.noSuchList`.
  public func tags(of list: ListName) async throws -> [TagEntry] {
    try await store.read { reader in
      let list = try reader.existingList(list)
      return try reader.tags(of: list.key).map { tag in
        TagEntry(tag: tag, record: try reader.record(of: tag.version, in: list))
      }
    }
  }
}
