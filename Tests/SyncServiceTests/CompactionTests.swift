import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import ListStore

@Suite struct CompactionTests {
  @Test func packedListsAnswerAsPlainOnes() async throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<2 {
      let test = try TestStore()
      var items: [Item] = []
      for _ in 0..<6 {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          items = Self.next(items, &random)
          _ = try await test.service.commit(
            CommitRequest(list: .parks, snapshot: Snapshot(items)))
        }
        let before = try await StoreAnswers(of: test.service)
        _ = try await test.service.compact(.parks, isWhole: Bool.random(using: &random))
        #expect(try await StoreAnswers(of: test.service) == before, "seed \(random.seed)")
        #expect(try await test.rows("SELECT count(*) FROM changes") == [["0"]])
      }
    }
  }

  @Test func packedListsArePrunedAsPlainOnes() async throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<4 {
      let (plain, packed) = (try TestStore(), try TestStore())
      var items: [Item] = []
      for _ in 0..<6 {
        for _ in 0..<Int.random(in: 1...5, using: &random) {
          items = Self.next(items, &random)
          for test in [plain, packed] {
            _ = try await test.service.commit(
              CommitRequest(list: .parks, snapshot: Snapshot(items)))
          }
        }
        if Bool.random(using: &random) { _ = try await packed.service.compact(.parks) }
        if Bool.random(using: &random) {
          let count = Int.random(in: 1...6, using: &random)
          for test in [plain, packed] { try await test.service.prune(keepLast: count) }
        }
        let answers = try await StoreAnswers(of: packed.service)
        #expect(try await StoreAnswers(of: plain.service) == answers, "seed \(random.seed)")
        for depth in [VerificationDepth.changes, .everything] {
          let report = try await packed.service.verify(depth: depth)
          #expect(report.faults.isEmpty, "\(report.faults), seed \(random.seed)")
        }
      }
    }
  }

  /// A view cannot read packed texts, but it has a row for each change of a plain version.
  @Test func changeLogCountsEveryChangeOfPlainVersionsAfterPackedOnes() async throws {
    let test = try TestStore()
    for texts in [["a", "b", "c"], ["b", "a=1", "c"]] {
      _ = try await test.service.commit(.init(list: .parks, snapshot: .of(texts)))
    }
    _ = try await test.service.compact(.parks)
    for texts in [["c", "a=2", "d"], ["c", "a=2", "d=1"]] {
      _ = try await test.service.commit(.init(list: .parks, snapshot: .of(texts)))
    }
    let rows = try await test.rows(
      "SELECT version, kind, id, new_index, old_content, new_content FROM change_log "
        + "ORDER BY version, kind, id")
    let packed = [nil, nil, nil, nil] as [String?]
    #expect(
      rows == [
        ["1", "packed"] + packed, ["2", "packed"] + packed,
        ["3", "insert", "d", "2", nil, "{\"id\":\"d\",\"value\":0}"],
        ["3", "packed"] + packed, ["3", "packed"] + packed,
        [
          "4", "update", "d", "2", "{\"id\":\"d\",\"value\":0}", "{\"id\":\"d\",\"value\":1}",
        ],
      ])
  }

  // MARK: Plain again

  @Test func unpackedListsAnswerAsBeforeAndStayPlain() async throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<4 {
      let test = try TestStore()
      var items: [Item] = []
      for number in 1...12 {
        items = Self.next(items, &random)
        _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: Snapshot(items)))
        if number % 5 == 0 { _ = try await test.service.compact(.parks) }
        if number == 6, round % 2 == 0 { try await test.service.prune(keepLast: 3) }
      }
      let (answers, counts) = (
        try await StoreAnswers(of: test.service), try await test.service.size(of: .parks)
      )
      _ = try await test.service.unpack(.parks)
      #expect(try await StoreAnswers(of: test.service) == answers, "seed \(random.seed)")
      #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
      let faults = try await LogInvariants.faults(of: test.store)
      #expect(faults.isEmpty, "\(faults), seed \(random.seed)")
      for table in ["slices", "blocks"] { #expect(try await test.count(table) == 0) }
      #expect(try await test.service.size(of: .parks).versionCount == counts.versionCount)
      _ = try await test.service.prune(keepLast: 2)
      _ = try await test.service.compact(.parks)
      #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
    }
  }

  /// A former fault: a list whose unpacking or packing had failed was kept plain, or no longer.
  @Test func failedUnpackingOrPackingChangesNoRule() async throws {
    let test = try TestStore()
    let watched = WatchedStore(test.store)
    let service = SyncService(store: watched) { Timestamp(millisecondsSince1970: 0) }
    func isKeptPlain() async throws -> Bool {
      try await test.rows("SELECT keeps_plain FROM lists") == [["1"]]
    }
    _ = try await service.commit(CommitRequest(list: .parks, snapshot: .of("a", "b")))
    _ = try await service.compact(.parks)
    watched.fail(reads: .diskFull)
    await #expect(throws: StoreError.diskFull) { try await service.unpack(.parks) }
    #expect(try await !isKeptPlain())
    watched.fail()
    // The second time there is nothing to unpack.
    for _ in 1...2 {
      _ = try await service.unpack(.parks)
      #expect(try await isKeptPlain())
    }
    watched.fail(reads: .diskFull)
    await #expect(throws: StoreError.diskFull) { try await service.compact(.parks) }
    #expect(try await isKeptPlain())
    watched.fail()
    _ = try await service.compact(.parks)
    #expect(try await !isKeptPlain())
  }

  /// A former fault: "0 changes packed", and the replaced blocks stayed until the next call.
  @Test func packedListThatIsPackedAgainLeavesNoReplacedBlocks() async throws {
    let test = try TestStore()
    for texts in [["a", "b", "c", "d"], ["a", "b", "c", "d", "e"]] {
      _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: .of(texts)))
      _ = try await test.service.compact(.parks)
    }
    let outcome = try await test.service.compact(.parks, isWhole: true)
    #expect(outcome.packedCount == 0 && outcome.repackedCount == 5)
    let blocks = try await test.store.read { reader in
      try reader.slices(of: try #require(try reader.list(.parks)).key).flatMap(\.blocks)
    }
    #expect(try await test.count("blocks") == blocks.count)
    let again = try await test.service.compact(.parks, isWhole: true)
    #expect(again.packedCount == 0 && again.repackedCount == 0)
  }

  // MARK: By itself

  @Test func listIsPackedWhenItsPlainRowsOutweighThePackedOnes() async throws {
    let test = try TestStore()
    let least = Int(PackingRule.leastPlainCount)
    func commit(_ count: Int, _ value: Int) async throws {
      let texts = (0..<count).map { "i\($0)=\(value)" }
      _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: .of(texts)))
    }
    try await commit(least - 1, 0)
    #expect(try await test.service.compactIfDue(.parks).packedCount == 0)
    try await commit(least, 0)
    #expect(try await test.service.compactIfDue(.parks).packedCount == least)
    #expect(try await test.service.compactIfDue(.parks).packedCount == 0)
    try await commit(least, 1)
    _ = try await test.service.unpack(.parks)
    #expect(try await test.service.compactIfDue(.parks).packedCount == 0)
    #expect(try await test.service.compact(.parks).packedCount == 2 * least)
    try await commit(least, 2)
    #expect(try await test.service.compactIfDue(.parks).packedCount == least)
  }

  @Test func boardPacksTheListsThatNeedItWhileItRuns() async throws {
    let test = try TestStore()
    let board = HeadBoard(service: test.service, interval: .milliseconds(1))
    let texts = (0..<Int(PackingRule.leastPlainCount)).map { "i\($0)" }
    let request = CommitRequest(list: .parks, snapshot: try .of(texts))
    _ = try await test.service.commit(request)
    _ = try await test.service.commit(CommitRequest(list: .films, snapshot: .of("a")))
    let tasks = [
      Task { try await board.run() },
      Task {
        try await board.packLists(every: .milliseconds(1)) { list, error in
          Issue.record("\(list): \(error)")
        }
      },
    ]
    func isPacked(_ list: ListName) async throws -> Bool {
      try await test.store.read { reader in
        try reader.unpacking(of: #require(try reader.list(list))) != nil
      }
    }
    try await eventually("the list is packed") { try await isPacked(.parks) }
    _ = try await test.service.commit(CommitRequest(list: .films, snapshot: .of(texts)))
    try await eventually("the other list is packed") { try await isPacked(.films) }
    for task in tasks {
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test func packingEndsWhenItsTaskIsCancelled() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: .of("a", "b")))
    try await test.store.read { reader in
      let list = try #require(try reader.list(.parks))
      var packing = try #require(try reader.packing(of: list))
      #expect(throws: CancellationError.self) {
        try packing.nextBlocks(reader) { throw CancellationError() }
      }
    }
  }

  // MARK: Checkpoints

  @Test func checkpointsAreDeflatedAndADamagedOneIsNeverAWrongList() async throws {
    let test = try TestStore()
    let ids = (0..<600).map { "i\($0)" }
    var random = SeededRandom.forThisRun()
    var snapshots: [Snapshot] = []
    for _ in 0..<8 {
      let snapshot = try Snapshot.of(ids.shuffled(using: &random))
      snapshots.append(snapshot)
      _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: snapshot))
    }
    func data() async throws -> [String] {
      try await test.rows("SELECT hex(data) FROM checkpoints ORDER BY version")
        .compactMap { $0[0] }
    }
    let plain = try await data()
    _ = try await test.service.compact(.parks)
    let packed = try await data()
    #expect(packed.count == plain.count && packed.count > 2)
    // The first one is a few bytes.
    #expect(packed.dropFirst().allSatisfy { $0.hasPrefix("00") })
    #expect(packed.joined().count < plain.joined().count)
    #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
    for offset in stride(from: 0, to: packed[1].count, by: 100) {
      var digits = Array(packed[1])
      digits[offset] = digits[offset] == "0" ? "1" : "0"
      try await test.sql(
        """
        UPDATE checkpoints SET data = x'\(String(digits))'
        WHERE version = (SELECT version FROM checkpoints ORDER BY version LIMIT 1 OFFSET 1)
        """)
      for (number, snapshot) in snapshots.enumerated() {
        let version = Revision.version(Version(number + 1))
        do {
          #expect(try await test.service.snapshot(of: .parks, at: version).snapshot == snapshot)
        } catch {
          #expect(error is StoreError || error is ServiceError)
        }
      }
      #expect(try await !test.service.verify(depth: .everything).faults.isEmpty)
    }
  }

  // MARK: At once

  @Test func twoThatPackAtOnceAndWritersLeaveASoundList() async throws {
    var random = SeededRandom.forThisRun()
    let (test, twin) = (try TestStore(), try TestStore())
    var items: [Item] = []
    for round in 0..<6 {
      items = Self.next(items, &random)
      let request = CommitRequest(list: .parks, snapshot: try Snapshot(items))
      _ = try await twin.service.commit(request)
      _ = try await test.service.commit(request)
      items = Self.next(items, &random)
      let next = CommitRequest(list: .parks, snapshot: try Snapshot(items))
      _ = try await twin.service.commit(next)
      await withTaskGroup(of: Void.self) { group in
        for isWhole in [true, false, round % 2 == 0] {
          group.addTask {
            do {
              _ = try await test.service.compact(.parks, isWhole: isWhole)
            } catch StoreError.headMoved {
              // Others packed it.
            } catch {
              Issue.record(error)
            }
          }
        }
        group.addTask {
          do { _ = try await test.service.commit(next) } catch { Issue.record(error) }
        }
      }
      let answers = try await StoreAnswers(of: twin.service)
      #expect(try await StoreAnswers(of: test.service) == answers, "seed \(random.seed)")
      #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
    }
  }

  /// As a process that is killed between the transactions leaves it.
  @Test func aHalfPackedListIsThatOfBeforeOrAfter() async throws {
    var random = SeededRandom.forThisRun()
    for stage in 0..<3 {
      let test = try TestStore()
      var items: [Item] = []
      for _ in 0..<8 {
        items = Self.next(items, &random)
        _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: Snapshot(items)))
      }
      let answers = try await StoreAnswers(of: test.service)
      let (made, stored) = try await test.store.read { reader in
        let list = try #require(try reader.list(.parks))
        var packing = try #require(try reader.packing(of: list))
        let blocks = try packing.nextBlocks(reader)
        return (packing, blocks.dropLast(stage == 0 ? 1 : 0))
      }
      try await test.store.write { try $0.store(Array(stored), of: made) }
      if stage == 2 { try await test.store.write { try $0.install(made) } }
      #expect(try await StoreAnswers(of: test.service) == answers)
      #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
      _ = try await test.service.compact(.parks)
      #expect(try await StoreAnswers(of: test.service) == answers)
      #expect(try await test.rows("SELECT count(*) FROM changes") == [["0"]])
      let blocks = try await test.store.read { reader in
        try reader.slices(of: try #require(try reader.list(.parks)).key).flatMap(\.blocks)
      }
      #expect(try await test.count("blocks") == blocks.count)
    }
  }

  // MARK: Damage

  /// A packed list, and what it answers.
  private func packed(
    _ random: inout SeededRandom
  ) async throws -> (store: TestStore, answers: StoreAnswers) {
    let test = try TestStore()
    var items: [Item] = []
    for number in 1...24 {
      items = Self.next(items, &random)
      _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: Snapshot(items)))
      if number % 8 == 0 { _ = try await test.service.compact(.parks) }
    }
    try await test.emptyLog()
    return (test, try await StoreAnswers(of: test.service))
  }

  /// The data of slices and blocks, with the condition that finds each row.
  private func data(
    of test: TestStore
  ) async throws -> [(table: String, condition: String, data: [UInt8])] {
    var found: [(table: String, condition: String, data: [UInt8])] = []
    for (table, key) in [("slices", "first_change"), ("blocks", "block")] {
      for row in try await test.rows("SELECT \(key), hex(data) FROM \(table)") {
        let digits = Array((row[1] ?? "").utf8)
        let data = stride(from: 0, to: digits.count, by: 2).compactMap {
          UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
        found.append((table, "\(key) = \(row[0] ?? "")", data))
      }
    }
    return found
  }

  private func copy(
    of test: TestStore, with data: [UInt8], in table: String, _ condition: String,
    isMended: Bool = true
  ) async throws -> TestStore {
    let copy = try TestStore(copying: test.path)
    let digits = data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let sql = "UPDATE \(table) SET data = X'\(digits)' WHERE \(condition)"
    if isMended { try await copy.sql(sql) } else { try await copy.sqlOfAnotherProgram(sql) }
    return copy
  }

  @Test func aChangedBitOfAPackIsNeverAWrongAnswer() async throws {
    var random = SeededRandom.forThisRun()
    let (test, answers) = try await packed(&random)
    for (table, condition, data) in try await data(of: test) {
      for _ in 0..<3 {
        var damaged = data
        let place = Int.random(in: damaged.indices, using: &random)
        damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        let copy = try await copy(
          of: test, with: damaged, in: table, condition, isMended: false)
        let found = try? await StoreAnswers(of: copy.service)
        #expect(found == nil || found == answers, "\(table) \(place), seed \(random.seed)")
        let faults = try await copy.service.verify().faults
        #expect(!faults.isEmpty, "\(table) \(place), seed \(random.seed)")
      }
    }
  }

  @Test func aForgedBlockEndsNoProgramAndIsFoundByVerify() async throws {
    var random = SeededRandom.forThisRun()
    let (test, answers) = try await packed(&random)
    for (table, condition, data) in try await data(of: test) {
      let bytes = try PackedData.unpack(data, upTo: .max)
      for _ in 0..<5 {
        var forged = bytes
        let place = Int.random(in: forged.indices, using: &random)
        forged[place] = UInt8.random(in: 0...255, using: &random)
        if forged == bytes { continue }
        let copy = try await copy(of: test, with: PackedData.pack(forged), in: table, condition)
        let found = try? await StoreAnswers(of: copy.service)
        let isSound = try await copy.service.verify(depth: .everything).faults.isEmpty
        #expect(!isSound || found == answers, "\(table) \(place), seed \(random.seed)")
      }
    }
  }

  @Test func aBombIsDamage() async throws {
    var random = SeededRandom.forThisRun()
    let (test, _) = try await packed(&random)
    let bomb = PackedData.pack(Array(repeating: 0, count: 16 << 20))
    #expect(bomb.count < 20_000)
    for (table, condition, _) in try await data(of: test) {
      let copy = try await copy(of: test, with: bomb, in: table, condition)
      #expect(try await !copy.service.verify().faults.isEmpty)
    }
  }

  @Test func aMissingBlockOrSliceIsDamage() async throws {
    var random = SeededRandom.forThisRun()
    let (test, _) = try await packed(&random)
    for (table, condition, _) in try await data(of: test) {
      let copy = try TestStore(copying: test.path)
      try await copy.sql("DELETE FROM \(table) WHERE \(condition)")
      #expect(try await !copy.service.verify().faults.isEmpty, "\(condition)")
    }
    for sql in ["first_plain = first_plain - 1", "first_plain = 1"] {
      let copy = try TestStore(copying: test.path)
      try await copy.sql("UPDATE lists SET \(sql)")
      #expect(try await !copy.service.verify().faults.isEmpty, "\(sql)")
    }
  }

  private static func next(_ items: [Item], _ random: inout SeededRandom) -> [Item] {
    var items = items
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let place = Int.random(in: 0...items.count, using: &random)
      switch Int.random(in: 0...3, using: &random) {
      case 0 where place < items.count: items.remove(at: place)
      case 1 where place < items.count:
        let moved = items.remove(at: place)
        items.insert(moved, at: Int.random(in: 0...items.count, using: &random))
      case 2 where place < items.count:
        items[place] = item(items[place].id.text, &random)
      default:
        let id = "p\(Int.random(in: 0...30, using: &random))"
        if !items.contains(where: { $0.id.text == id }) {
          items.insert(item(id, &random), at: place)
        }
      }
    }
    return items
  }

  private static func item(_ id: String, _ random: inout SeededRandom) -> Item {
    let number = Int.random(in: 0...3, using: &random)
    let json = "{\"id\":\"\(id)\",\"n\":\(number),\"text\":\"some text of \(id) that stays\"}"
    return Item(id: ItemID(id), content: Content(canonicalBytes: Array(json.utf8)))
  }
}
