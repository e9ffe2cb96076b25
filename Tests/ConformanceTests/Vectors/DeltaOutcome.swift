import ListChanges
import ListDocuments
import ListModel

/// What the library makes of a delta document and the list that it is applied to.
enum DeltaOutcome {
  case accepted(CatchUpAnswer<DeltaDocument>, Snapshot)
  /// A word for the first reason: `not-json`, `malformed`, `changes`, `not-the-start` or
  /// `wrong-result`.
  case refused(String)

  init(_ document: String, on items: [Item]) {
    do throws(DeltaError) {
      let answer = try CatchUpAnswer<DeltaDocument>(Array(document.utf8))
      switch answer {
      case .changes(let delta):
        self = .accepted(answer, try delta.applied(to: Snapshot(uniqueItems: items)))
      case .snapshot(let delta): self = .accepted(answer, delta.snapshot)
      }
    } catch {
      switch error {
      case .json: self = .refused("not-json")
      case .malformed, .limit: self = .refused("malformed")
      case .changes: self = .refused("changes")
      case .notTheStart: self = .refused("not-the-start")
      case .wrongResult: self = .refused("wrong-result")
      }
    }
  }
}

extension CatchUpAnswer<DeltaDocument> {
  var kind: String { if case .changes = self { "changes" } else { "snapshot" } }

  var reason: String? { if case .snapshot(let delta) = self { delta.reason.rawValue } else { nil } }

  var more: Bool { if case .changes(let delta) = self { delta.more } else { false } }

  var to: ListState {
    switch self {
    case .changes(let delta): delta.to
    case .snapshot(let delta): delta.to
    }
  }
}
