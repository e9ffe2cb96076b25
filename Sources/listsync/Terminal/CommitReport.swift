import ListDocuments
import ListModel
import ServiceDocuments
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
      writer.members(of: outcome)
    }
    return writer.bytes + "\n".utf8
  }
}
