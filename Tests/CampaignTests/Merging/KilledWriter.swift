import ListChanges
import ListModel
import StoreTestSupport
import SyncClient
import SyncClientHTTP
import Synchronization
import TestSupport

/// An edit that a writer made, with a text that no other edit writes.
struct TextEdit: Sendable {
  enum Kind: Sendable {
    /// A new item, or a new value of a member.
    case write, remove
  }

  let text: String
  let kind: Kind
  /// The item that it writes or removes.
  let item: ItemID
  /// Whether the edit was in the writer's file when its app was killed, or was not killed.
  var isSaved = false
  /// The conflict that the writer decided for the others' side; nil without.
  var reported: MergeConflictKind?
  /// The conflict's values, and the copy at that time.
  var evidence = ""
}

/// An app that edits its replica of a list. It is killed at random moments, and started again with
/// its file.
struct KilledWriter: Sendable {
  struct Place: Sendable {
    let server: String
    let path: String
    let meter: EditMeter
  }

  let name: String
  private(set) var edits: [TextEdit] = []
  private(set) var restartCount = 0
  private let place: Place
  private var random: SeededRandom
  private var file: MortalFile
  private var session: ReplicaSession

  init(name: String, place: Place, random: SeededRandom) throws {
    (self.name, self.place, self.random) = (name, place, random)
    (file, session) = try Self.open(place)
  }

  private static func open(_ place: Place) throws -> (MortalFile, ReplicaSession) {
    let file = MortalFile(
      ReplicaFile(
        path: place.path, source: ReplicaSource(server: place.server, list: .parks)))
    var options = ReplicaMachine.Options(list: .parks)
    options.retry = RetryRule(firstSeconds: 0.02, highestSeconds: 0.1)
    let transport = LossyEditTransport(
      transport: HTTPTransport(try ServerAddress(place.server)), meter: place.meter, file: file)
    return (file, ReplicaSession(options, transport: transport, storage: file))
  }

  mutating func run(editCount: Int) async throws {
    try await session.start()
    try await eventually("\(name) has a copy") { await session.copy.cursor.version > .zero }
    for number in 0..<editCount {
      try await Task.sleep(for: .milliseconds(random.number(0...100)))
      if random.chance(2) { try await decide() }
      try await edit("\(name)-\(number).")
      if random.chance(5) {
        // The edit may be on its way.
        try await Task.sleep(for: .milliseconds(random.number(0...60)))
        try await restart()
      }
    }
  }

  /// Edits; in some cases the app is killed meanwhile.
  private mutating func edit(_ text: String) async throws {
    let planned = PlannedEdit(writer: name, text: text, seed: random.next())
    let act = Task { [session] in try await session.edit { planned.perform(&$0) } }
    let isKilled = random.chance(6)
    if isKilled {
      try await Task.sleep(for: .microseconds(random.number(0...4000)))
      await file.die()
    }
    let result = await act.result
    if var edit = planned.edit {
      if case .success = result { edit.isSaved = true }
      edits.append(edit)
    }
    if isKilled { try await restart() } else { try result.get() }
  }

  /// Kills the app, and starts it again.
  private mutating func restart() async throws {
    restartCount += 1
    await file.die()
    if random.chance(2) { try await Task.sleep(for: .milliseconds(random.number(0...300))) }
    (file, session) = try Self.open(place)
    try await session.start()
  }

  /// Decides conflicts, if there are any.
  private mutating func decide() async throws {
    guard case .refused(let refusal) = await session.editState else { return }
    guard case .conflicts = refusal else { throw Violation("\(name): \(refusal)") }
    // No news may come between the report and the decision.
    await session.pause()
    try await eventually("\(name) is paused") { await session.state == .paused }
    if case .refused(.conflicts(let conflicts)) = await session.editState {
      let side: MergeSide = random.chance(2) ? .mine : .theirs
      try await session.resolve(preferring: side)
      if side == .theirs { note(conflicts, at: await session.copy.cursor) }
    }
    await session.resume()
  }

  private mutating func note(_ conflicts: [ItemMerge.Conflict], at cursor: Cursor) {
    for conflict in conflicts {
      let texts = conflict.member.mine.map { $0.description.split(separator: "\"") } ?? []
      for index in edits.indices {
        let edit = edits[index]
        switch edit.kind {
        case .write where texts.contains(edit.text[...]),
          .remove where edit.item == conflict.id && conflict.kind == .removedByMine:
          edits[index].reported = conflict.kind
          edits[index].evidence = "at \(cursor): \(conflict.member)"
        default: break
        }
      }
    }
  }

  /// Ends when the server has all edits that are not given up.
  mutating func settle() async throws {
    while await session.editState != .none {
      if case .failed(let error) = await session.state { throw error }
      try await decide()
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  /// Ends when the copy is the list at a cursor.
  func wait(for head: (cursor: Cursor, snapshot: Snapshot)) async throws {
    try await eventually("\(name) has the head") { await session.copy.cursor == head.cursor }
    try require(await session.copy.snapshot == head.snapshot, "\(name) has another list")
    await session.stop()
  }
}

/// A choice of an edit, made on the list as it is then.
///
/// A writer never overwrites a text of its own that is in the list, so each is in the history.
private final class PlannedEdit: Sendable {
  private let writer: String
  private let text: String
  private let seed: UInt64
  private let chosen = Mutex<TextEdit?>(nil)

  init(writer: String, text: String, seed: UInt64) {
    (self.writer, self.text, self.seed) = (writer, text, seed)
  }

  /// Nil if the edit did not begin.
  var edit: TextEdit? { chosen.withLock { $0 } }

  func perform(_ items: inout [Item]) {
    let edit = choose(&items)
    chosen.withLock { $0 = edit }
  }

  private func choose(_ items: inout [Item]) -> TextEdit {
    var random = SeededRandom(seed: seed)
    // Near the start, so that writers meet.
    let place = random.number(0...min(items.count, 11))
    let (act, name) = (random.number(1...10), "m\(random.number(0...1))")
    if items.indices.contains(place) {
      let item = items[place]
      var members = item.texts
      if act == 1, !isOwn(item.id.text), !members.values.contains(where: isOwn) {
        items.remove(at: place)
        return TextEdit(text: text, kind: .remove, item: item.id)
      }
      if act > 2, !isOwn(members[name] ?? ""), !isOwn(item.id.text) {
        members[name] = text
        items[place] = Item.made(item.id, members)
        return TextEdit(text: text, kind: .write, item: item.id)
      }
    }
    items.insert(Item.made(ItemID(text)), at: place)
    return TextEdit(text: text, kind: .write, item: ItemID(text))
  }

  private func isOwn(_ text: String) -> Bool { text.hasPrefix("\(writer)-") }
}
