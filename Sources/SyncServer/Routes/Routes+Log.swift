import HTTPTypes
import ListDocuments
import ListModel
import SyncService

extension Routes {
  /// A log in few numbers, for charts: adjacent versions in at most so many groups, newest first.
  ///
  /// - Complexity: every version record is read, a thousand at a time.
  func groupedLog(of list: ListName, before: Version?, groupCount: Int) async throws -> Answer {
    let request = "groups \(groupCount) \(before.map { "\($0)" } ?? "")"
    let key = server.cacheKey(of: list, request, true)
    return try await server.cache.answer(for: key) {
      var (groups, next): ([VersionGroup], Version?) = ([], before)
      var (versionsPerGroup, isOfKey) = (0, before != nil)
      while true {
        let records = try await server.service.log(of: list, before: next, limit: 1000)
        guard let newest = records.first else { break }
        if versionsPerGroup == 0 {
          let oldest = server.headCache.head(of: list)?.oldest ?? Version(1)
          let count = max(1, newest.version.number - oldest.number + 1)
          versionsPerGroup = (count + groupCount - 1) / groupCount
          isOfKey = isOfKey || newest.cursor == key?.head
        }
        for record in records {
          if let last = groups.last, last.versionCount < versionsPerGroup {
            groups[groups.count - 1].add(record)
          } else {
            groups.append(VersionGroup(record))
          }
        }
        next = records.last?.version
      }
      let answer = Answer.json(lines: groups) { $0.members(of: $1) }
      return AnswerCache.Made(answer: answer, isOfKey: isOfKey)
    }
  }
}

/// Adjacent versions, with the sums of their changes.
private struct VersionGroup {
  private let newest: VersionRecord
  private var oldest: VersionRecord
  private var changes: ChangeCounts

  init(_ record: VersionRecord) {
    (newest, oldest, changes) = (record, record, record.changes)
  }

  var versionCount: Int { newest.version.number - oldest.version.number + 1 }

  /// - Parameter record: the next older version.
  mutating func add(_ record: VersionRecord) {
    oldest = record
    changes = ChangeCounts(
      removed: changes.removed.adding(record.changes.removed),
      moved: changes.moved.adding(record.changes.moved),
      inserted: changes.inserted.adding(record.changes.inserted),
      updated: changes.updated.adding(record.changes.updated))
  }

  func write(to writer: inout JSONWriter) {
    writer.member("oldest", oldest.version.number)
    writer.member("newest", newest.version.number)
    writer.member("committed_at", newest.note.time.description)
    writer.member("count", newest.count)
    writer.member("changes", changes)
    guard versionCount == 1 else { return }
    writer.member("author", newest.note.author)
    writer.member("message", newest.note.message)
  }
}

extension JSONWriter {
  fileprivate mutating func members(of group: VersionGroup) { group.write(to: &self) }
}
