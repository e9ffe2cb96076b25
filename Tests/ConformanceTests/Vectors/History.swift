import ListChanges
import ListDocuments
import ListModel

/// A list's versions from the empty list on, as the source of vectors.
struct History {
  private(set) var snapshots = [Snapshot.empty]
  /// `states[n]` is the state of version n.
  private(set) var states = [ListState.zero]
  /// `records[n]` is the record of version n + 1.
  private(set) var records: [VersionRecord] = []

  static let list = ListName("parks")!

  mutating func commit(_ items: [Item], _ note: CommitNote) throws {
    let snapshot = try Snapshot(items)
    let changes = snapshots[snapshots.count - 1].changes(to: snapshot)
    let before = states[states.count - 1]
    let (version, root) = (before.version.next, Root(of: snapshot))
    let record = VersionRecord(
      version: version, note: note, count: items.count, changes: ChangeCounts(changes),
      root: root,
      previous: before.chain ?? .zero)
    snapshots.append(snapshot)
    states.append(record.state)
    records.append(record)
  }

  /// Seven versions of five parks, with every kind of change and contents that programs misread.
  static func parks() throws -> History {
    var history = History()
    let lists = [
      ["yosemite", "zion", "acadia", "arches", "denali"],
      ["denali", "yosemite=5", "zion", "glacier", "arches"],
      ["denali", "yosemite=5", "zion=12345678901234567890.10", "glacier", "arches"],
      ["arches", "glacier", "zion=1e400", "yosemite=5", "denali"],
      [],
      ["acadia", "cafe\u{301}", "caf\u{E9}", "\u{1F600}", "a\u{1F}b"],
      ["caf\u{E9}=-0.0", "\u{1F600}", "acadia", "a\u{1F}b", "cafe\u{301}", "zion"],
    ]
    for (index, list) in lists.enumerated() {
      let note = CommitNote(
        time: Timestamp(millisecondsSince1970: 1_790_000_000_000 + Int64(index) * 86_400_250),
        author: [nil, "Ann", "Ben \"B\" é", ""][index % 4],
        message: ["Spring", nil, "Two\nlines"][index % 3])
      try history.commit(list.map(Self.park), note)
    }
    return history
  }

  /// `zion`, or `zion=5` for one with a rating.
  static func park(_ text: String) throws -> Item {
    let parts = text.split(separator: "=")
    var writer = JSONWriter()
    writer.object { members in
      members.member("name", parts[0].prefix(1).uppercased() + parts[0].dropFirst())
      if parts.count > 1 {
        members.name("rating")
        members.raw(String(parts[1]))
      }
    }
    return Item(
      id: ItemID(String(parts[0])),
      content: try Content(json: String(decoding: writer.bytes, as: UTF8.self)))
  }

  func delta(_ from: Int, _ to: Int, more: Bool = false) -> Delta {
    Delta(
      list: Self.list, from: states[from], to: states[to], oldest: nil,
      changes: snapshots[from].changes(to: snapshots[to]), more: more)
  }

  /// The delta document as a server writes it.
  func document(_ from: Int, _ to: Int, more: Bool = false, note: String? = nil) -> String {
    var document = DeltaDocument(delta(from, to, more: more))
    document.note = note
    return String(decoding: document.encoded(.line), as: UTF8.self)
  }

  func whole(
    _ version: Int, _ reason: WholeListReason, from: Int? = nil, oldest: Int = 1,
    note: String? = nil
  ) -> String {
    var document = SnapshotDelta(
      list: Self.list, from: from.map { states[$0] }, to: states[version],
      oldest: Version(oldest), snapshot: snapshots[version], reason: reason)
    document.note = note
    return String(decoding: document.encoded(.line), as: UTF8.self)
  }

  /// The bundle of the versions after one, with its items where the steps before were pruned.
  func bundle(_ start: BundleStart, from first: Int, to last: Int) throws -> String {
    var writer = try BundleWriter(
      BundleHeader(
        list: Self.list, idRule: nil, start: start, target: states[last]))
    if case .base = start {
      for item in snapshots[first].items { try writer.append(.item(item)) }
    }
    for version in first..<last {
      try writer.append(.step(DeltaDocument(delta(version, version + 1))))
    }
    _ = try writer.finish()
    return String(decoding: writer.takeBytes(), as: UTF8.self)
  }
}

extension VectorValue {
  /// Items as pairs of id and canonical content.
  static func items(_ items: [Item]) -> VectorValue {
    .list(items.map { [.text($0.id.text), .text($0.content.description)] })
  }

  static func changes(_ changes: ChangeSet<Item>) -> VectorValue {
    let bare = BareChanges(changes)
    return [
      "removed": .list(bare.removed.map { ["id": .text($0.id.text), "from": .number($0.from)] }),
      "moved": .list(
        bare.moved.map {
          ["id": .text($0.id.text), "from": .number($0.from), "to": .number($0.to)]
        }),
      "inserted": .list(
        bare.inserted.map {
          [
            "id": .text($0.item.id.text), "to": .number($0.to),
            "content": .text($0.item.content.description),
          ]
        }),
      "updated": .list(
        bare.updated.map {
          [
            "id": .text($0.item.id.text), "from": .number($0.from), "to": .number($0.to),
            "content": .text($0.item.content.description),
          ]
        }),
    ]
  }

  static func state(_ state: ListState) -> VectorValue {
    [
      "cursor": .optional(state.cursor?.description),
      "version": state.cursor.map { .number($0.version.number) } ?? .null,
      "count": .number(state.count), "root": .text(state.root.description),
    ]
  }
}
