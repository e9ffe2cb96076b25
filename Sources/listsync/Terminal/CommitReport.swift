import ListDocuments
import ListModel
import SyncService

/// What became of a commit.
struct CommitReport {
  private let outcome: CommitOutcome
  private let name: ListName

  init(_ outcome: CommitOutcome, of name: ListName) {
    self.outcome = outcome
    self.name = name
  }

  func write(asJSON: Bool) throws {
    if asJSON { return try Output.write(document) }
    let state = "\(name) \(Wording.state(outcome.state))"
    let items = Wording.count(outcome.state.count, "item")
    switch outcome {
    case .committed(let record):
      try Output.line("\(state): \(Wording.changes(record.changes)); \(items)")
    case .unchanged: try Output.line("\(state): unchanged; \(items)")
    }
  }

  private var document: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("list", name.text)
      switch outcome {
      case .committed(let record):
        writer.member("outcome", "committed")
        writer.member("head", record.state)
        writer.member("changes", record.changes)
      case .unchanged(let state):
        writer.member("outcome", "unchanged")
        writer.member("head", state)
      }
    }
    return writer.bytes + "\n".utf8
  }
}

extension JSONWriter {
  mutating func member(_ name: String, _ counts: ChangeCounts) {
    member(
      name,
      object: { writer in
        writer.member("removed", counts.removed)
        writer.member("moved", counts.moved)
        writer.member("inserted", counts.inserted)
        writer.member("updated", counts.updated)
      })
  }
}
