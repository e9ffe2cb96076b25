import ListChanges
import ListDocuments
import ListModel
import ListStore

/// Answers of the service as JSON, with the same members for the command line and the server.
extension JSONWriter {
  package mutating func members(of entry: ItemChange) {
    members(of: entry.record)
    if let id = entry.formerID { member("former_id", id.text) }
    if let from = entry.from { member("from", from) }
    if let to = entry.to { member("to", to) }
    member("moved", entry.isMove)
    if let content = entry.newContent { member("content", content) }
    objects("members", entry.memberChanges) { writer, change in
      writer.member("path", change.path.description)
      if let old = change.old { writer.member("old", old) }
      if let new = change.new { writer.member("new", new) }
    }
  }

  package mutating func members(of run: PlaceRun) {
    member("from", run.versions.lowerBound.number)
    member("to", run.versions.upperBound.number)
    member("index", run.index)
    member("began_at", run.beganAt.description)
    member("ended_at", run.endedAt?.description)
  }

  package mutating func members(of attribution: Attribution) {
    if let record = attribution.record {
      member("cursor", record.cursor.description)
      member("version", record.version.number)
      members(of: record.note)
    }
    member("changes", attribution.changeCount)
  }

  package mutating func members(of result: SearchResult) {
    member("id", result.id.text)
    objects("versions", result.versions) { writer, range in
      writer.member("from", range.lowerBound.number)
      writer.member("to", range.upperBound.number)
    }
    if let found = result.member {
      member("path", found.path.description)
      member("value", found.value)
    }
    member("content", result.content)
  }

  package mutating func members(of record: RetiredList) {
    member("list", record.name.text)
    member("cursor", record.cursor.description)
    member("version", record.version.number)
    member("left_at", record.leftAt.description)
    member("author", record.author)
    member("new_name", record.newName?.text)
  }

  package mutating func members(of record: PruneRecord) {
    member("from", record.oldOldest.number)
    member("to", record.lastPruned.number)
    member("oldest", record.newOldest.number)
    member("pruned_at", record.prunedAt.description)
    member("author", record.author)
    member("rule", record.rule)
    member("chain", record.chain.description)
  }

  package mutating func members(of entry: TagEntry) {
    member("tag", entry.tag.name.text)
    member("cursor", entry.record.cursor.description)
    member("version", entry.record.version.number)
    member("committed_at", entry.record.note.time.description)
    member("tagged_at", entry.tag.taggedAt.description)
  }

  package mutating func members(of list: ListSummary) {
    member("list", list.name.text)
    member("head", list.head)
    member("oldest", list.oldest.number)
    member("committed_at", list.committedAt?.description)
    member("title", list.titlePath?.description)
    for kind in LimitedChange.allCases { member("max_\(kind)", list.limits[kind].text) }
  }

  package mutating func members(of outcome: CommitOutcome) {
    let word =
      switch outcome {
      case .committed: "committed"
      case .found(_, isOwn: true): "repeated"
      case .found(_, isOwn: false), .unchanged, .merged(nil, _, _): "unchanged"
      case .merged: "merged"
      }
    member("outcome", word)
    member("head", outcome.state)
    if let record = outcome.newRecord { member("changes", record.changes) }
    if case .merged(_, _, let report) = outcome { object("merge") { $0.members(of: report) } }
  }

  package mutating func members(of report: MergeReport) {
    member("base", report.base.description)
    member("into", report.head.description)
    for (name, side) in [("mine", report.mine), ("theirs", report.theirs)] {
      object(name) { writer in
        writer.member("changes", side.changes)
        writer.array("ids") { writer in for id in side.ids { writer.string(id.text) } }
        writer.member("complete", side.isWhole)
      }
    }
    member("preferred", report.preferred?.rawValue)
    members(of: report.conflicts)
  }

  /// The number of conflicts, and those that are listed.
  package mutating func members(of conflicts: MergeConflicts) {
    member("conflict_count", conflicts.count)
    objects("conflicts", conflicts.listed) { $0.members(of: $1) }
  }

  package mutating func members(of conflict: ItemMerge.Conflict) {
    member("id", conflict.id.text)
    member("kind", conflict.kind.rawValue)
    member("path", conflict.member.path.description)
    if let base = conflict.member.base { member("base", base) }
    if let mine = conflict.member.mine { member("mine", mine) }
    if let theirs = conflict.member.theirs { member("theirs", theirs) }
  }
}
