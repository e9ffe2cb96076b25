import ListChanges
import ListModel

/// A delta in the words of another system, for programs that already speak them: indexes alone, but
/// for JSON Patch, which carries the contents too.
///
///     {"format":"list-rendering/1","rendering":"batch","from":{…},"to":{…},
///      "deleted":[2],"inserted":[3],"moved":[{"from":4,"to":0}],"reloaded":[0]}
///
/// `from`, `to` and `list` are those of the delta document.
public enum Rendering: String, CaseIterable, Sendable {
  /// ``ListChanges/BatchUpdates``: one batch of a collection view, reloads at old indexes.
  case batch
  /// ``ListChanges/TwoBatchUpdates``: deletions, insertions and moves; then reloads at new indexes.
  case twoBatches = "two-batches"
  /// ``ListChanges/IndexUpdate``: ArrayUpdater's deletions, insertions and reloads.
  case indexUpdate = "index-update"
  /// ``ListChanges/StagedChanges``: DifferenceKit's three stages.
  case stages
  /// ``ListChanges/ArrayAction``: deleted, moved and added by index.
  case actions
  /// ``ListChanges/SequentialSteps``: each step valid on the list as it then stands.
  case steps
  /// ``ListChanges/ChangeSet/LinearStep``: DeepDiff's order.
  case linear
  /// ``ListChanges/JSONPatch``: RFC 6902, an array of operations and nothing else.
  case jsonPatch = "json-patch"

  /// The delta as JSON text with a line end.
  ///
  /// - Complexity: O(d log d) for d changes; stages and linear steps may have up to n moves.
  public func encode(_ delta: Delta) -> [UInt8] {
    if self == .jsonPatch { return delta.changes.jsonPatch().encoded() }
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("format", "list-rendering/1")
      writer.member("rendering", rawValue)
      if let list = delta.list { writer.member("list", list.text) }
      writer.lineBreak()
      writer.member("from", delta.from)
      writer.lineBreak()
      writer.member("to", delta.to)
      writer.lineBreak()
      write(delta.changes, to: &writer)
    }
    return writer.bytes + "\n".utf8
  }

  private func write(_ changes: ChangeSet<Item>, to writer: inout JSONWriter) {
    switch self {
    case .batch: writer.members(of: changes.batchUpdates())
    case .twoBatches:
      let batches = changes.twoBatchUpdates()
      writer.member("first", object: { $0.members(of: batches.first) })
      writer.member("second", object: { $0.members(of: batches.second) })
    case .indexUpdate:
      let update = changes.indexUpdate()
      writer.member("deletions", update.deletions)
      writer.member("insertions", update.insertions)
      writer.member("reloads", update.reloads)
    case .stages: writer.members(of: changes.stagedChanges())
    case .actions:
      writer.member(
        "actions", array: { writer in for action in changes.actions() { writer.write(action) } })
    case .steps:
      writer.member(
        "steps",
        array: { writer in for step in changes.sequentialSteps().steps { writer.write(step) } })
    case .linear:
      writer.member(
        "steps", array: { writer in for step in changes.linearSteps() { writer.write(step) } })
    case .jsonPatch: preconditionFailure("a patch is an array, not an object")
    }
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String, _ indexes: [Int]) {
    member(name, array: { writer in for index in indexes { writer.raw(String(index)) } })
  }

  fileprivate mutating func member(_ name: String, _ moves: [IndexMove]) {
    member(
      name,
      array: { writer in
        for move in moves { writer.write("", from: move.from, to: move.to) }
      })
  }

  fileprivate mutating func members(of batch: BatchUpdates) {
    member("deleted", batch.deleted)
    member("inserted", batch.inserted)
    member("moved", batch.moved)
    member("reloaded", batch.reloaded)
  }

  fileprivate mutating func members(of stages: StagedChanges) {
    member("updated", stages.updated)
    member("deleted", stages.deleted)
    member("inserted", stages.inserted)
    member("moved", stages.moved)
  }

  /// An object of the indexes that there are, with the name of what is done unless it is empty.
  private mutating func write(_ name: String, from: Int? = nil, to: Int? = nil) {
    object { writer in
      if !name.isEmpty { writer.member("do", name) }
      if let from { writer.member("from", from) }
      if let to { writer.member("to", to) }
    }
  }

  fileprivate mutating func write(_ action: ArrayAction) {
    switch action {
    case .deleted(let from): write("delete", from: from)
    case .moved(let from, let to): write("move", from: from, to: to)
    case .added(let to): write("add", to: to)
    }
  }

  fileprivate mutating func write(_ step: SequentialSteps.Step) {
    switch step {
    case .delete(let from): write("delete", from: from)
    case .move(let from, let to): write("move", from: from, to: to)
    case .insert(let to): write("insert", to: to)
    case .update(let to): write("update", to: to)
    }
  }

  fileprivate mutating func write(_ step: ChangeSet<Item>.LinearStep) {
    switch step {
    case .delete(let from, _): write("delete", from: from)
    case .insert(let to, _): write("insert", to: to)
    case .replace(let to, _, _): write("replace", to: to)
    case .move(let from, let to): write("move", from: from, to: to)
    }
  }
}
