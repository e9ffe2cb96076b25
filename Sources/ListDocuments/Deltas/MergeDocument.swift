import ListChanges
import ListModel

/// The changes of a ``MergeDocument``.
public struct MergeChanges: Equatable, Sendable {
  public struct Update: Equatable, Sendable {
    public enum Value: Equatable, Sendable {
      /// The members that differ, as JSON Merge Patch (RFC 7396).
      case patch(Content)
      /// The new content.
      case content(Content)
    }

    public let id: ItemID
    public let from: Int
    public let to: Int
    public let value: Value
  }

  /// All changes except the updates.
  public let others: BareChanges
  public let updated: [Update]

  /// - Precondition: Every move has its id.
  init(_ changes: ChangeSet<Item>) {
    others = BareChanges(changes).replacingUpdates(by: [])
    updated = changes.updated.map { update in
      let content = update.new.content
      let patch = update.old.content.mergePatch(to: content)
        .flatMap { $0.bytes.count < content.bytes.count ? Update.Value.patch($0) : nil }
      return Update(
        id: update.new.id, from: update.from, to: update.to, value: patch ?? .content(content))
    }
  }

  fileprivate init(others: BareChanges, updated: [Update]) {
    (self.others, self.updated) = (others, updated)
  }
}

/// A delta whose updates name only the members that differ. It is as complete as a
/// ``DeltaDocument``, and can be made one with the old list.
///
///     {"format":"list-rendering/1","rendering":"merge","list":"parks",
///      "from":{…},"to":{…},"more":false,
///      "removed":[{"id":"acadia","from":2}],"moved":[…],"inserted":[…],
///      "updated":[{"id":"yosemite","from":0,"to":1,"merge":{"rating":5}},
///                 {"id":"zion","from":1,"to":2,"content":{…}}]}
///
/// `merge` is a JSON Merge Patch on the old content. Where no patch leads to the new content, or
/// none that is shorter, `content` is the whole of it.
public typealias MergeDocument = ListDelta<MergeChanges>

extension MergeDocument {
  /// - Precondition: Every move of the delta has its id.
  /// - Complexity: O(bytes of the updated contents).
  public init(_ delta: Delta) {
    self.init(
      list: delta.list, from: delta.from, to: delta.to, oldest: nil,
      changes: MergeChanges(delta.changes), more: delta.more)
  }

  /// The document as JSON text with a line end, a line for each change.
  public func encoded() -> [UInt8] {
    Rendering.merge.document(of: self) { writer in
      writer.member("more", more)
      writer.lineBreak()
      writer.membersExceptUpdates(of: changes.others) { $0.lineBreak() }
      writer.lineBreak()
      writer.array("updated") { writer in
        for update in changes.updated {
          writer.lineBreak()
          writer.object { $0.members(of: update) }
        }
      }
    }
  }

  /// Reads a document; unknown members are ignored. The limits hold for its lists, items and ids.
  ///
  /// - Throws: `DeltaError.json`, `.malformed` or `.limit`, with the place.
  public init(_ bytes: [UInt8], limits: Limits = .standard) throws(DeltaError) {
    try self.init(
      root: DocumentField(
        delta: bytes, format: Rendering.format, limits: limits,
        contentDepth: BareChanges.contentDepth))
  }

  /// - Parameter root: the root of a rendering.
  init(root: DocumentField) throws(DeltaError) {
    self = try root.read { root throws(DocumentField.Malformed) in
      try root["rendering"].expect(Rendering.merge.rawValue)
      let (from, to) = (try root["from"].state(), try root["to"].endState())
      return Self(
        list: try root["list"].ifPresent?.listName(), from: from, to: to, oldest: nil,
        changes: MergeChanges(
          others: try root.changesExceptUpdates(oldCount: from.count, newCount: to.count),
          updated: try root["updated"].map { field throws(DocumentField.Malformed) in
            try field.mergedUpdate()
          }),
        more: try root["more"].ifPresent?.boolean() ?? false)
    }
  }

  /// The delta with the whole contents of the updated items.
  ///
  /// - Parameters:
  ///   - limits: hold for the contents.
  ///   - oldItem: the item at an index of the old list, from 0 to its count less 1.
  /// - Throws: `DeltaError.changes` when an updated item has another place in the old list;
  ///   `.limit` when a content becomes too large.
  /// - Complexity: O(bytes of the updated contents).
  public func completed(
    limits: Limits = .standard, oldItem: (_ index: Int) -> Item
  ) throws(DeltaError) -> DeltaDocument {
    var updated: [BareChanges.Update] = []
    for (index, update) in changes.updated.enumerated() {
      guard (0..<from.count).contains(update.from), case let old = oldItem(update.from),
        old.id == update.id
      else { throw .changes(.itemMismatch(index: update.from, expected: update.id)) }
      let (content, name) =
        switch update.value {
        case .content(let new): (new, "content")
        case .patch(let patch): (old.content.merging(patch), "merge")
        }
      do throws(ExceededLimit) {
        try limits.check(content.bytes.count, .itemBytes)
      } catch {
        throw .limit(error, at: JSONPointer(tokens: ["updated", String(index), name]))
      }
      updated.append(
        .init(item: Item(id: update.id, content: content), from: update.from, to: update.to))
    }
    return DeltaDocument(
      list: list, from: from, to: to, oldest: oldest,
      changes: changes.others.replacingUpdates(by: updated), more: more)
  }
}

extension DocumentField {
  fileprivate func mergedUpdate() throws(Malformed) -> MergeChanges.Update {
    let value: MergeChanges.Update.Value
    if let patch = self["merge"].ifPresent {
      guard self["content"].ifPresent == nil else {
        throw self["content"].malformed("absent beside \"merge\"")
      }
      value = .patch(try patch.content())
    } else {
      value = .content(try self["content"].content())
    }
    return MergeChanges.Update(
      id: try self["id"].id(), from: try self["from"].index(), to: try self["to"].index(),
      value: value)
  }
}

extension JSONWriter {
  fileprivate mutating func members(of update: MergeChanges.Update) {
    member("id", update.id.text)
    member("from", update.from)
    member("to", update.to)
    switch update.value {
    case .patch(let patch): member("merge", patch)
    case .content(let content): member("content", content)
    }
  }
}
