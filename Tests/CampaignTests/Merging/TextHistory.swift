import ListChanges
import ListModel
import SyncService

/// The history of a list whose edits write texts that no other edit writes.
struct TextHistory {
  let head: (cursor: Cursor, snapshot: Snapshot)
  let versionCount: Int
  /// The texts that came into the list.
  private var written: Set<String> = []
  /// The versions that have an item's text first.
  private var firstVersions: [String: Version] = [:]
  private var removed: Set<ItemID> = []
  /// Items that came back: their writers decided for them, with all that they knew of them.
  private var restored: Set<ItemID> = []
  private(set) var faults: [String] = []

  init(of list: ListName, in service: SyncService) async throws {
    let versions = try await service.log(of: list).map(\.version).sorted()
    var lists: [Snapshot] = []
    for version in versions {
      lists.append(try await service.snapshot(of: list, at: .version(version)).snapshot)
    }
    let state = try await service.snapshot(of: list).state
    guard let cursor = state.cursor, let last = lists.last else { throw Violation("no list") }
    (head, versionCount) = ((cursor, last), versions.count)
    var known = Set(lists[0].items.map(\.id))
    for (number, version) in versions.enumerated().dropFirst() {
      let former = written
      read(lists[number - 1], lists[number], &known)
      for text in written.subtracting(former) { firstVersions[text] = version }
    }
  }

  private mutating func read(_ old: Snapshot, _ new: Snapshot, _ known: inout Set<ItemID>) {
    let former = Dictionary(uniqueKeysWithValues: old.items.map { ($0.id, $0.texts) })
    for item in new.items {
      let texts = item.texts
      if let before = former[item.id] {
        for (name, text) in texts where text != before[name] { write(text, to: item.id) }
      } else if known.insert(item.id).inserted {
        for text in [item.id.text] + texts.values { write(text, to: item.id) }
      } else {
        // A writer whose edit was in conflict with the removal decided for its edit.
        restored.insert(item.id)
        if written.isSuperset(of: texts.values) {
          faults.append("item \(item.id) came back without an edit")
        }
        written.formUnion(texts.values)
      }
    }
    removed.formUnion(Set(former.keys).subtracting(new.items.map(\.id)))
  }

  private mutating func write(_ text: String, to id: ItemID) {
    let isNew = written.insert(text).inserted
    if !isNew, !restored.contains(id) { faults.append("\(text) came to item \(id) twice") }
  }

  func faults(of edits: [TextEdit]) -> [String] {
    let texts = Set(edits.map(\.text))
    let foreign = written.subtracting(texts).map { "\($0) is of no edit" }
    return foreign
      + edits.compactMap { edit in
        let isThere = written.contains(edit.text)
        switch (edit.kind, edit.reported) {
        case (.write, nil) where edit.isSaved && !isThere: return "\(edit) was lost"
        // The whole item was in conflict with its removal, also texts that had been stored.
        case (.write, .changed) where isThere:
          let version = firstVersions[edit.text].map { "\($0)" } ?? "?"
          return "\(edit) is there since version \(version), and was reported"
        case (.remove, nil) where edit.isSaved && !removed.contains(edit.item):
          return "\(edit) was lost"
        default: return nil
        }
      }
  }
}

extension Item {
  /// The members but the id.
  var texts: [String: String] {
    var texts: [String: String] = [:]
    for (name, value) in ContentView(content).members where name != "id" {
      texts[name] = value.scalarText
    }
    return texts
  }

  static func made(_ id: ItemID, _ members: [String: String] = [:]) -> Item {
    let texts = members.sorted { $0.key < $1.key }.map { #","\#($0)":"\#($1)""# }.joined()
    let json = #"{"id":"\#(id.text)"\#(texts)}"#
    guard let content = try? Content(json: json) else { preconditionFailure(json) }
    return Item(id: id, content: content)
  }
}
