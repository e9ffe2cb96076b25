import ListDocuments
import ListModel
import SyncService
import Terminal

/// What became of a commit.
struct CommitReport {
  private let outcome: CommitOutcome
  private let name: ListName

  init(_ outcome: CommitOutcome, of name: ListName) {
    self.outcome = outcome
    self.name = name
  }

  /// Tells of it, also where nobody reads the answer.
  func write(asJSON: Bool) throws {
    try Output.answer(keeping: line) {
      if asJSON { try Output.write(document) } else { try Output.line(line) }
    }
  }

  private var line: String {
    let state = "\(name) \(Wording.state(outcome.state))"
    let items = Wording.count(outcome.state.count, "item")
    switch outcome {
    case .committed(let record):
      return "\(state): \(Wording.changes(record.changes)); \(items)"
    case .unchanged: return "\(state): unchanged; \(items)"
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
