import ListDocuments
import ListModel
import ListStore
import SyncService

/// The entries of the log as JSON.
enum LogDocument {
  static func write(_ record: VersionRecord, to writer: inout JSONWriter) {
    writer.members(of: record)
  }

  static func write(_ entry: ItemHistoryEntry, to writer: inout JSONWriter) {
    writer.members(of: entry.record)
    if let from = entry.from { writer.member("from", from) }
    if let to = entry.to { writer.member("to", to) }
    writer.member("moved", entry.isMove)
    if let content = entry.newContent {
      writer.name("content")
      writer.content(content)
    }
    writer.member(
      "members",
      array: { writer in
        for change in entry.memberChanges { writer.object { $0.members(of: change) } }
      })
  }

  static func write(_ record: PruneRecord, to writer: inout JSONWriter) {
    writer.member("pruned", object: { $0.members(of: record) })
  }
}

extension JSONWriter {
  fileprivate mutating func members(of record: VersionRecord) {
    member("cursor", record.cursor.description)
    member("version", record.version.number)
    member("committed_at", record.note.time.description)
    member("author", record.note.author)
    member("message", record.note.message)
    member("count", record.count)
    member("changes", record.changes)
    member("checksum", record.checksum.description)
    member("chain", record.chain.description)
  }

  fileprivate mutating func members(of change: MemberChange) {
    member("path", change.path.description)
    if let old = change.old {
      name("old")
      content(old)
    }
    if let new = change.new {
      name("new")
      content(new)
    }
  }
}
