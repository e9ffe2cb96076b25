import ListChanges
import ListModel

/// A delta in another form than its document. All forms except `merge` and JSON Patch are those of
/// other systems for views, and have indexes only, no contents.
///
///     {"format":"list-rendering/1","rendering":"batch","from":{…},"to":{…},
///      "deleted":[2],"inserted":[3],"moved":[{"from":4,"to":0}],"reloaded":[0]}
///
/// `from`, `to` and `list` are those of the delta document.
public enum Rendering: String, CaseIterable, Sendable {
  /// ``/ListChanges/BatchUpdates``: one batch of a collection view, reloads at old indexes.
  case batch
  /// ``/ListChanges/TwoBatchUpdates``: deletions, insertions and moves; then reloads at new
  /// indexes.
  case twoBatches = "two-batches"
  /// ``/ListChanges/IndexUpdate``: ArrayUpdater's deletions, insertions and reloads.
  case indexUpdate = "index-update"
  /// ``/ListChanges/StagedChanges``: DifferenceKit's three stages.
  case stages
  /// ``/ListChanges/ArrayAction``: deleted, moved and added by index.
  case actions
  /// ``/ListChanges/SequentialSteps``: each step valid on the list as the steps before leave it.
  case steps
  /// ``/ListChanges/ChangeSet/LinearStep``: DeepDiff's order.
  case linear
  /// ``/ListChanges/JSONPatch``: RFC 6902, only an array of operations.
  case jsonPatch = "json-patch"
  /// ``MergeDocument``: as complete as the delta document, with JSON Merge Patches (RFC 7396) of
  /// the updated items.
  case merge

  static let format = "list-rendering/1"

  /// The delta as JSON text with a line end.
  ///
  /// - Complexity: O(d log d) for d changes; stages and linear steps may have up to n moves.
  public func encode(_ delta: Delta) -> [UInt8] {
    if self == .jsonPatch { return delta.changes.jsonPatch().encoded() }
    if self == .merge { return MergeDocument(delta).encoded() }
    return document(of: delta) { write(delta.changes, to: &$0) }
  }

  /// A document of this form.
  ///
  /// - Parameter members: writes the members after those that all forms have.
  func document<Changes>(
    of delta: ListDelta<Changes>, _ members: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    JSONWriter.object { writer in
      writer.member("format", Self.format)
      writer.member("rendering", rawValue)
      if let list = delta.list { writer.member("list", list.text) }
      writer.lineBreak()
      writer.member("from", delta.from)
      writer.lineBreak()
      writer.object("to") { $0.members(proving: delta.to) }
      writer.lineBreak()
      members(&writer)
    } + "\n".utf8
  }

  private func write(_ changes: ChangeSet<Item>, to writer: inout JSONWriter) {
    switch self {
    case .batch: writer.members(of: changes.batchUpdates())
    case .twoBatches:
      let batches = changes.twoBatchUpdates()
      writer.object("first") { $0.members(of: batches.first) }
      writer.object("second") { $0.members(of: batches.second) }
    case .indexUpdate:
      let update = changes.indexUpdate()
      writer.member("deletions", update.deletions)
      writer.member("insertions", update.insertions)
      writer.member("reloads", update.reloads)
    case .stages:
      let stages = changes.stagedChanges()
      writer.member("updated", stages.updated)
      writer.member("deleted", stages.deleted)
      writer.member("inserted", stages.inserted)
      writer.member("moved", stages.moved)
    case .actions: writer.member("actions", changes.actions().map(\.record))
    case .steps: writer.member("steps", changes.sequentialSteps().steps.map(\.record))
    case .linear: writer.member("steps", changes.linearSteps().map(\.record))
    case .jsonPatch, .merge: preconditionFailure("it has a document of its own")
    }
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String, _ indexes: [Int]) {
    array(name) { writer in for index in indexes { writer.raw(String(index)) } }
  }

  fileprivate mutating func member(_ name: String, _ moves: [IndexMove]) {
    array(name) { writer in
      for move in moves { writer.write(from: move.from, to: move.to) }
    }
  }

  fileprivate mutating func members(of batch: BatchUpdates) {
    member("deleted", batch.deleted)
    member("inserted", batch.inserted)
    member("moved", batch.moved)
    member("reloaded", batch.reloaded)
  }

  fileprivate mutating func member<Element>(_ name: String, _ steps: [StepRecord<Element>]) {
    array(name) { writer in
      for step in steps { writer.write(step.action, from: step.from, to: step.to) }
    }
  }

  private mutating func write(_ action: String? = nil, from: Int?, to: Int?) {
    object { writer in
      if let action { writer.member("do", action) }
      if let from { writer.member("from", from) }
      if let to { writer.member("to", to) }
    }
  }
}
