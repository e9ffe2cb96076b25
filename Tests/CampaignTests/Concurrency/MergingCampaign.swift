import ListModel
import ListStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Eight writers edit one list at the same time, each from a version that it read some time ago,
/// and repeat requests whose answers they lost.
@Suite struct MergingCampaign {
  @Test(arguments: StoreEngine.here)
  func eachEditIsInTheHistoryOnceOrItsConflictWasReported(_ engine: StoreEngine) async throws {
    let campaign = Campaign("merging, \(engine.rawValue)")
    var tally = (made: 0, merged: 0, repeated: 0, conflicts: 0)
    for round in 0..<campaign.rounds(1, long: 20) {
      let test = try CampaignStore(engine)
      let first = try Snapshot((0..<12).map { try MergingWriter.item("i\($0)", [:]) })
      _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: first))
      let count = campaign.rounds(10, long: 40)
      let edits = try await withThrowingTaskGroup(of: [MadeEdit].self) { group in
        for index in 0..<8 {
          let random = campaign.random(round * 8 + index)
          let store = index % 2 == 0 ? test.store : try test.place.open(.writing)
          var writer = MergingWriter(
            name: "w\(index)", service: SyncService(store: store) { TestStore.noon },
            random: random)
          group.addTask { try await writer.run(editCount: count) }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      let faults = try await HistoryOfEdits(test.service).faults(of: edits)
      #expect(faults == [], "seed \(campaign.seed), round \(round)")
      #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
      for edit in edits {
        tally.made += edit.isMade ? 1 : 0
        tally.merged += edit.isMerged ? 1 : 0
        tally.repeated += edit.isRepeated ? 1 : 0
        tally.conflicts += edit.isMade ? 0 : 1
      }
    }
    campaign.report(
      """
      \(tally.made) edits made, \(tally.merged) of them merged, \(tally.repeated) sent again, \
      \(tally.conflicts) conflicts reported
      """)
    #expect(tally.merged > 0 && tally.repeated > 0 && tally.conflicts > 0)
  }
}

/// An edit that a writer sent.
private struct MadeEdit: Sendable {
  enum Kind: Sendable {
    /// A new item, or a new value of a member, with a text that no other edit writes.
    case write(text: String)
    case remove(ItemID)
  }

  let author: String
  let message: String
  let kind: Kind
  /// False if the conflict was reported.
  var isMade = false
  var isMerged = false
  var isRepeated = false
}

private struct MergingWriter: Sendable {
  let name: String
  let service: SyncService
  var random: SeededRandom
  private var base: (cursor: Cursor, items: [Item])?

  init(name: String, service: SyncService, random: SeededRandom) {
    (self.name, self.service, self.random) = (name, service, random)
  }

  static func item(_ id: String, _ members: [String: String]) throws -> Item {
    let texts = members.sorted { $0.key < $1.key }.map { #","\#($0)":"\#($1)""# }.joined()
    return Item(
      id: ItemID(id), content: try Content(json: Array(#"{"id":"\#(id)"\#(texts)}"#.utf8)))
  }

  mutating func run(editCount: Int) async throws -> [MadeEdit] {
    var edits: [MadeEdit] = []
    var requests: [(index: Int, CommitRequest)] = []
    for number in 0..<editCount {
      if base == nil || Int.random(in: 0..<3, using: &random) == 0 {
        let head = try await service.snapshot(of: .parks)
        base = head.state.cursor.map { ($0, head.snapshot.items) }
      }
      guard let base else { continue }
      let (planned, items) = try self.edit(number, of: base.items)
      var edit = planned
      var request = CommitRequest(list: .parks, snapshot: try Snapshot(items))
      request.merge(from: .cursor(base.cursor))
      (request.author, request.message) = (edit.author, edit.message)
      do {
        if case .merged = try await service.commit(request) { edit.isMerged = true }
        edit.isMade = true
      } catch ServiceError.conflicts {
        self.base = nil
      }
      if edit.isMade { requests.append((edits.count, request)) }
      edits.append(edit)
      // The answer was lost, and others have committed since.
      if Int.random(in: 0..<3, using: &random) == 0,
        let (index, request) = requests.randomElement(using: &random)
      {
        _ = try await service.commit(request)
        edits[index].isRepeated = true
      }
    }
    return edits
  }

  private mutating func edit(_ number: Int, of items: [Item]) throws -> (MadeEdit, [Item]) {
    let text = "\(name)-\(number)."
    var items = items
    let place = Int.random(in: 0...items.count, using: &random)
    let kind: MadeEdit.Kind
    switch (Int.random(in: 0..<10, using: &random), items.indices.contains(place)) {
    case (0, true): kind = .remove(items.remove(at: place).id)
    case (1..<7, true):
      var members: [String: String] = [:]
      for (name, value) in ContentView(items[place].content).members where name != "id" {
        members[name] = value.scalarText
      }
      members["m\(Int.random(in: 0..<3, using: &random))"] = text
      items[place] = try Self.item(items[place].id.text, members)
      kind = .write(text: text)
    default:
      items.insert(try Self.item(text, [:]), at: place)
      kind = .write(text: text)
    }
    return (MadeEdit(author: name, message: "\(number)", kind: kind), items)
  }
}

/// All versions of the list.
private struct HistoryOfEdits {
  private var records: [VersionRecord] = []
  private var lists: [Version: Snapshot] = [:]

  init(_ service: SyncService) async throws {
    records = try await service.log(of: .parks)
    for record in records {
      lists[record.version] =
        try await service.snapshot(of: .parks, at: .version(record.version)).snapshot
    }
  }

  func faults(of edits: [MadeEdit]) -> [String] {
    let texts = lists.values.flatMap(\.items).map(\.content.description)
    let written = Set(texts.flatMap { $0.split(separator: "\"") })
    return edits.compactMap { edit in
      let name = "edit \(edit.message) of \(edit.author)"
      let own = records.filter { record in
        let message = record.note.message?.split(separator: "\n").first
        return record.note.author == edit.author && message == edit.message[...]
      }
      if own.count > 1 { return "\(name) is there \(own.count) times" }
      if !edit.isMade { return own.isEmpty ? nil : "\(name) is there, and was refused" }
      switch edit.kind {
      case .write(let text):
        if own.isEmpty { return "\(name) has no version" }
        return written.contains(text[...]) ? nil : "\(name): no version has its text"
      case .remove(let id):
        // Another writer may have removed the item before.
        let list = own.first.flatMap { lists[$0.version] }
        return list?.items.contains { $0.id == id } ?? false ? "\(name): the item is there" : nil
      }
    }
  }
}
