import ListChanges
import ListModel
import ListStore
import TestSupport

extension StoreLaw {
  static let lists = [
    StoreLaw("a list starts at version 0, and lists are ordered by the bytes of their names") {
      law in
      let names = ["b", "a", "Z", "b-2", "b.1"].map { ListName($0)! }
      for name in names {
        let list = try await law.store.write { try $0.createList(name) }
        try law.expect(list.head == .zero && list.oldest == Version(1), "\(list)")
      }
      let found = try await law.store.read { try $0.lists() }
      let ordered = names.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
      try law.expect(
        found.map(\.name.text.utf8).elementsEqual(ordered.map(\.text.utf8)) {
          $0.elementsEqual($1)
        }, "\(found.map(\.name))")
      let none = try await law.store.read { try $0.list(ListName("c")!) }
      try law.expect(none == nil, "a list that nobody made is there")
    },
    StoreLaw("the key of a dropped list is never given again") { law in
      var keys: Set<ListKey> = []
      for round in 0..<20 {
        let record = RetiredList(
          name: .law, version: .zero, chain: .zero, leftAt: .law(round), author: nil, newName: nil)
        let key = try await law.store.write { writer in
          let key = try writer.createList(.law).key
          if round % 3 > 0 { try writer.setIDRule("[]", of: key) }
          try writer.drop(key, record)
          return key
        }
        try law.expect(keys.insert(key).inserted, "\(key) is given again in round \(round)")
      }
    },
    StoreLaw("a dropped list leaves its record and no row, and others stay as they are") { law in
      let other = ListName("other")!
      for texts in [["a", "b"], ["b", "c=1"], ["c"]] {
        try await law.append(texts.map { .law($0) })
        try await law.append(texts.map { .law($0) }, to: other)
      }
      let (before, record) = try await law.store.write { writer in
        let list = try writer.record(of: .law)
        try writer.setImportPosition("1", of: "s", in: list.key)
        try writer.setTitlePath(JSONPointer(tokens: ["name"]), of: list.key)
        try writer.setTag(
          TagRecord(name: TagName("t")!, version: Version(1), taggedAt: .law(1)), of: list.key)
        try writer.writeCheckpoint(
          writer.headOrder(of: list)?.items() ?? [], at: list.head, of: list.key)
        let head = try writer.versions(list.head...list.head, of: list.key)[0]
        let record = RetiredList(
          name: .law, version: list.head, chain: head.chain, leftAt: .law(2), author: "a\u{0}b",
          newName: nil)
        let size = try writer.size(of: writer.record(of: other))
        try writer.drop(list.key, record)
        return (size, record)
      }
      try await law.store.read { reader in
        try law.expect(try reader.list(.law) == nil, "the list is there")
        try law.expect(try reader.retiredLists() == [record], "another record")
        try law.expect(try reader.strayRowFaults() == [], "rows of no list")
        let kept = try reader.record(of: other)
        try law.expect(try reader.rowFaults(of: kept).isEmpty, "faults of another list")
        let size = try reader.size(of: nil)
        try law.expect(
          (size.versionCount, size.changeCount) == (before.versionCount, before.changeCount),
          "\(size.versionCount) versions")
      }
      try await law.append(.law("z"))
      let again = try await law.store.read { try $0.record(of: .law).head }
      try law.expect(again == Version(1), "the name begins at \(again)")
      let records = try await law.store.read { try $0.retiredLists() }
      try law.expect(records == [record], "the record is gone")
    },
    StoreLaw("a renamed list keeps its versions, and records its former name") { law in
      let newName = ListName("new")!
      try await law.append(.law("a"))
      let version = try await law.append(.law("b"))
      let record = RetiredList(
        name: .law, version: version.version, chain: version.chain, leftAt: .law(1), author: nil,
        newName: newName)
      let titlePath = JSONPointer(tokens: ["n~/\u{0}"])
      try await law.store.write { writer in
        let list = try writer.record(of: .law)
        for path in [JSONPointer(tokens: []), titlePath] {
          try writer.setTitlePath(path, of: list.key)
        }
        try writer.setLimits([.removed: .count(7)], of: list.key)
        try writer.rename(list.key, record)
      }
      try await law.store.read { reader in
        try law.expect(try reader.list(.law) == nil, "the old name leads to a list")
        let list = try reader.record(of: newName)
        let found = try reader.versions(list.head...list.head, of: list.key)
        try law.expect(found == [version], "\(found)")
        try law.expect(try reader.titlePath(of: list.key) == titlePath, "another title")
        try law.expect(list.limits[.removed] == .count(7), "another limit of removals")
        try law.expect(try reader.retiredLists() == [record], "another record")
        try law.expect(try reader.strayRowFaults() == [], "a damaged row")
      }
    },
    StoreLaw("a list remembers its last limits of changes") { law in
      for limit in [.count(0), .percent(100), .unlimited, .count(.max)] as [ChangeLimit] {
        try await law.store.write { writer in
          let list = try writer.lockedList(.law) ?? writer.createList(.law)
          try writer.setLimits([.removed: limit, .updated: .count(5)], of: list.key)
          try writer.setLimits([.updated: .count(6)], of: list.key)
        }
        let found = try await law.store.read { try $0.record(of: .law).limits }
        try law.expect(
          found[.removed] == limit && found[.updated] == .count(6), "\(found), not \(limit)")
      }
    },
    StoreLaw("a list remembers the last rule of its ids, and where each import stands") { law in
      let (rule, position) = ("[\"a\u{0}\"]", "x\u{0}é")
      try await law.store.write { writer in
        let list = try writer.createList(.law)
        try writer.setIDRule("[\"b\"]", of: list.key)
        try writer.setIDRule(rule, of: list.key)
        try law.expect(try !writer.hasImports(into: list.key), "an import that nobody noted")
        try writer.setImportPosition("1", of: "s\u{0}", in: list.key)
        try writer.setImportPosition(position, of: "s\u{0}", in: list.key)
      }
      try await law.store.read { reader in
        let list = try reader.record(of: .law)
        try law.expect(list.idRule == rule, "\(list)")
        try law.expect(try reader.hasImports(into: list.key), "no import")
        let found = try reader.importPosition(of: "s\u{0}", in: list.key)
        try law.expect(found == position, "\(found ?? "none")")
        let other = try reader.importPosition(of: "s", in: list.key)
        try law.expect(other == nil, "the position of another source")
      }
    },
  ]

  static let appending = [
    StoreLaw("what is appended is read: versions, steps, the head and its texts") { law in
      var random = SeededRandom(seed: law.seed)
      var snapshots: [[Item]] = [[]]
      var records: [VersionRecord] = []
      for number in 0..<40 {
        snapshots.append(LawHistory.edited(snapshots[snapshots.count - 1], &random))
        records.append(
          try await law.append(
            snapshots[number + 1], CommitNote(time: .law(number), author: nil, message: "\(number)")
          )
        )
      }
      let (lists, written) = (snapshots, records)
      try await law.store.read { reader in
        let list = try reader.record(of: .law)
        try law.expect(list.head == Version(40) && list.oldest == Version(1), "\(list)")
        let found = try reader.versions(Version(1)...Version(99), of: list.key)
        try law.expect(found == written, "other versions")
        try law.expect(try reader.head(of: .law) == lists[40], "another head")
        for step in try reader.steps(Version(1)...Version(40), of: list.key) {
          let number = step.version.number
          let changes = try Snapshot(lists[number - 1]).changes(to: Snapshot(lists[number]))
          try law.expect(try reader.texts(step) == changes, "another step \(number)")
          let count = try reader.changeCount(step.version...step.version, of: list.key)
          // An item that moved and changed has one row.
          let moved = Set(changes.moved.map(\.from))
          let both = changes.updated.filter { moved.contains($0.from) }.count
          try law.expect(count == changes.count - both, "\(count) rows in step \(number)")
        }
        let empty = try reader.versions(Version(41)...Version(99), of: list.key)
        try law.expect(empty.isEmpty, "versions that nobody wrote")
      }
    },
    StoreLaw("a version follows the head alone, and a body that throws leaves nothing") { law in
      try await law.append(.law("a"))
      let plan = try await law.store.read { reader in
        let list = try reader.record(of: .law)
        guard var order = try reader.headOrder(of: list) else {
          throw LawBroken(description: "the head is not stored")
        }
        let step = try Snapshot(.law("a")).changes(to: Snapshot(.law("b")))
        return try reader.plan(
          step, of: list.key, as: reader.versions(Version(1)...Version(1), of: list.key)[0],
          order: &order, TreeUpdate(whole: RootTree(of: .law("b"))))
      }
      try await law.append(.law("a", "c"))
      try await law.expect(StoreError.headMoved) {
        try await law.store.write { try $0.append(plan) }
      }
      try await law.expect(StoreError.headMoved) {
        try await law.store.write { writer in
          // The list is locked, and was read here.
          _ = try writer.lockedList(.law)
          try writer.append(plan)
        }
      }
      struct Stop: Error, Equatable {}
      try await law.expect(Stop()) {
        try await law.store.write { writer in
          _ = try writer.append(.law("a", "b"), to: .law, .law)
          _ = try writer.createList(ListName("other")!)
          throw Stop()
        }
      }
      try await law.store.read { reader in
        try law.expect(
          try reader.head(of: .law) == .law("a", "c"), "a version of a body that threw")
        try law.expect(try reader.lists().count == 1, "a list of a body that threw")
      }
    },
    StoreLaw("a first version stored in pieces is seen when it is whole, as one stored at once") {
      law in
      let other = ListName("other")!
      let items = (0..<3000).map { Item.law("i\($0)") }
      let outline = ListOutline(try Snapshot(items))
      let record = VersionRecord(
        version: Version(1), note: .law, count: items.count,
        changes: ChangeCounts(Snapshot.empty.changes(to: outline.snapshot)), root: outline.root,
        previous: .zero)
      try await law.store.write { writer in
        try writer.start(writer.createList(other).key, at: record, with: outline)
      }
      func begin() async throws -> FirstVersion {
        let first = try await law.store.write {
          try $0.begin(.law, at: record, with: outline)
        }
        while case let rows = try await first.rows(), !rows.isEmpty {
          try await law.store.write { try $0.store(rows, of: first) }
        }
        try await law.store.read { reader in
          try law.expect(try reader.list(.law) == nil, "a list that is not finished")
          try law.expect(try reader.lists(.all).map(\.name) == [other], "more lists")
          try law.expect(try reader.strayRowFaults().isEmpty, "faults")
        }
        return first
      }
      let discarded = try await begin()
      let first = try await begin()
      try await law.store.read { reader in
        let unfinished = try reader.unfinishedLists()
        try law.expect(Set(unfinished) == [discarded.list, first.list], "\(unfinished)")
      }
      try await law.store.write { try $0.discard(discarded.list) }
      try await law.expect(StoreError.headMoved) {
        _ = try await law.store.write { try $0.finish(discarded) }
      }
      _ = try await law.store.write { try $0.finish(first) }
      try await law.store.write { try $0.discard(first.list) }
      try await law.store.read { reader in
        try law.expect(try reader.unfinishedLists().isEmpty, "unfinished lists")
        try law.expect(try reader.strayRowFaults().isEmpty, "faults")
        for name in [ListName.law, other] {
          let list = try reader.record(of: name)
          try law.expect(try reader.head(of: name) == items, "another head of \(name)")
          try law.expect(
            try reader.versions(Version(1)...Version(1), of: list.key) == [record], "a record")
          try law.expect(try reader.rowFaults(of: list).isEmpty, "faults of \(name)")
          try law.expect(
            try reader.keys(of: ["i2999", "never"], in: list.key)
              == [ItemKey(list.key, sequence: 3000), nil], "keys of \(name)")
        }
      }
    },
    StoreLaw("an id that returns has its key, and so has the content that it came with") { law in
      for texts in [["a=1", "b"], ["b", "a=2"], ["b"], ["a=1", "b"]] {
        try await law.append(texts.map { .law($0) })
      }
      try await law.store.read { reader in
        let list = try reader.record(of: .law)
        let steps = try reader.steps(Version(1)...Version(4), of: list.key)
        let (first, last) = (steps[0].changes.inserted[0], steps[3].changes.inserted[0])
        try law.expect(first.element == last.element, "\(first) is not \(last)")
        let items = try reader.items(of: [first.element, last.element])
        try law.expect(items[0] == items[1], "\(items)")
        let keys = try reader.keys(of: ["b", "never", "a"], in: list.key)
        try law.expect(keys[1] == nil, "the key of an item that never was")
        try law.expect(keys[2] == first.element.id, "\(keys)")
      }
    },
    StoreLaw("a list that is empty at first finds the items that come later") { law in
      for items in [[], [], [Item.law("a"), .law("b")], [], [.law("b"), .law("c")]] {
        try await law.append(items)
        try await law.store.read { reader in
          let list = try reader.record(of: .law)
          try law.expect(try reader.head(of: .law) == items, "another head")
          let keys = try reader.keys(of: items.map(\.id) + ["never"], in: list.key)
          try law.expect(keys.compactMap(\.self).count == items.count, "\(keys)")
          try law.expect(try reader.idFault(of: list.key) == nil, "a fault of the table of ids")
          try law.expect(try reader.rowFaults(of: list).isEmpty, "rows that break their rules")
        }
      }
    },
    StoreLaw("versions of one transaction name ids and contents as those of several do") { law in
      let lists: [[Item]] = [
        .law("a=1", "b"), .law("a=2", "b"), .law("a=1", "b"), .law("b"), .law("b", "a=2", "c"),
        .law("c", "a=1"),
      ]
      let other = ListName("other")!
      for items in lists { try await law.append(items) }
      try await law.store.write { writer in
        for items in lists { _ = try writer.append(items, to: other, .law) }
      }
      try await law.store.read { reader in
        let all = Version(1)...Version(lists.count)
        let steps = try [ListName.law, other].map { name in
          try reader.steps(all, of: reader.record(of: name).key).map { step in
            let changes = step.changes
            return (changes.inserted.map(\.element) + changes.updated.map(\.new))
              .map { [$0.id.sequence, $0.content.sequence] }
          }
        }
        try law.expect(steps[0] == steps[1], "\(steps[0]) and \(steps[1])")
        try law.expect(try reader.head(of: other) == lists[5], "another head")
      }
    },
    StoreLaw("ids and texts are bytes: U+0000, and letters that look alike, are kept apart") {
      law in
      let ids = [
        "é", "e\u{301}", "a", "a\u{0}", "a\u{0}b", "\u{FEFF}a",
        String(repeating: "x", count: 70_000),
      ]
      let note = CommitNote(time: .law(1), author: "e\u{301}\u{0}", message: "\u{0}")
      try await law.append(ids.map { Item(id: ItemID($0), content: Item.law("a").content) }, note)
      try await law.store.read { reader in
        let list = try reader.record(of: .law)
        let found = try reader.head(of: .law).map { Array($0.id.text.utf8) }
        try law.expect(found == ids.map { Array($0.utf8) }, "other ids")
        let keys = try reader.keys(of: ids.map { ItemID($0) }, in: list.key).compactMap(\.self)
        try law.expect(Set(keys).count == ids.count, "ids that share a key")
        let record = try reader.versions(list.head...list.head, of: list.key)[0]
        try law.expect(
          record.note.author?.utf8.elementsEqual("e\u{301}\u{0}".utf8) == true
            && record.note.message?.utf8.elementsEqual("\u{0}".utf8) == true, "another note")
      }
    },
    StoreLaw("every id that a list ever had leads to its item, and no other id does") { law in
      var random = SeededRandom(seed: law.seed)
      var ids: [String] = []
      for number in 0..<8 {
        let count = number % 2 == 0 ? 400 : 3
        ids += (0..<count).map { "i\(number)-\($0)-\(random.next() % 100)" }
        try await law.append(ids.suffix(number * 97 + 1).map { .law($0) })
      }
      let appended = Set(
        try await law.store.read { reader in
          try (1...8).flatMap { number in
            try reader.steps(Version(number)...Version(number), of: reader.record(of: .law).key)
              .flatMap { try reader.ids(of: $0.changes.inserted.map(\.element.id)) }
          }
        })
      let asked = (ids.map { ItemID($0) } + (0..<500).map { ItemID("x\($0)") })
        .shuffled(using: &random)
      try await law.store.read { reader in
        let list = try reader.record(of: .law)
        let keys = try reader.keys(of: asked, in: list.key)
        for (id, key) in zip(asked, keys) {
          try law.expect((key != nil) == appended.contains(id), "\(id)")
          if let key { try law.expect(try reader.ids(of: [key]) == [id], "\(id) has another key") }
        }
        try law.expect(try reader.idFault(of: list.key) == nil, "a fault of the table of ids")
      }
    },
    StoreLaw("ids whose hashes have the same 32 bits are told apart") { law in
      let (one, other) = ("park-16179543", "park-16871030")
      try await law.append(.law("a", one))
      try await law.append(.law("a", one, other, "b"))
      try await law.append(.law("\(other)=7"))
      try await law.append(.law("\(one)=8", other))
      try await law.store.read { reader in
        let list = try reader.record(of: .law)
        let keys = try reader.keys(of: [ItemID(other), ItemID(one)], in: list.key)
          .compactMap(\.self)
        try law.expect(
          try reader.ids(of: keys) == [ItemID(other), ItemID(one)], "\(keys)")
        try law.expect(try reader.head(of: .law) == .law("\(one)=8", other), "another head")
        try law.expect(try reader.idFault(of: list.key) == nil, "a fault of the table of ids")
      }
    },
    StoreLaw("a list starts at a later version with its items, and goes on from there") { law in
      let items: [Item] = .law("b", "a=3", "c")
      func start(_ items: [Item], at version: Int, _ name: ListName = .law) async throws {
        let record = VersionRecord(
          version: Version(version), note: .law, count: items.count,
          changes: ChangeCounts(removed: 1, moved: 2, inserted: 3, updated: 4),
          root: Root(of: Snapshot(uniqueItems: items)), previous: .zero)
        try await law.store.write { writer in
          let list = try writer.lockedList(name) ?? writer.createList(name)
          var left = items[...]
          try writer.start(list.key, at: record) { left.removeFirst() }
        }
      }
      try await start(items, at: 5)
      try await law.append(.law("c", "b", "a"))
      try await law.expect(StoreError.headMoved) { try await start(items, at: 9) }
      try await law.expect(StoreError.duplicateItem) {
        try await start(items + items, at: 2, ListName("twice")!)
      }
      // Between the two is an id with the same hash.
      try await law.expect(StoreError.duplicateItem) {
        let hidden: [Item] = .law("park-16179543", "park-16871030", "park-16179543")
        try await start(hidden, at: 2, ListName("twice")!)
      }
      try await law.store.read { reader in
        let list = try reader.record(of: .law)
        try law.expect(list.oldest == Version(5) && list.head == Version(6), "\(list)")
        let base = try reader.checkpoint(at: Version(5), of: list.key)
        try law.expect(try reader.items(of: base) == items, "other items at the base")
        try law.expect(try reader.head(of: .law) == .law("c", "b", "a"), "another head")
        try law.expect(try reader.list(ListName("twice")!) == nil, "a list with an item twice")
      }
    },
  ]
}

/// A list that changes at random.
enum LawHistory {
  /// Another list: some items go, come, move and change.
  static func edited(_ items: [Item], _ random: inout SeededRandom) -> [Item] {
    var next = items.filter { _ in Int.random(in: 0..<6, using: &random) > 0 }
    var held = Set(next.map(\.id))
    for index in next.indices where Int.random(in: 0..<4, using: &random) == 0 {
      next[index] = .law("\(next[index].id.text)=\(Int.random(in: 0...3, using: &random))")
    }
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let item = Item.law("i\(Int.random(in: 0...30, using: &random))")
      guard held.insert(item.id).inserted else { continue }
      next.insert(item, at: Int.random(in: 0...next.count, using: &random))
    }
    if Int.random(in: 0..<3, using: &random) == 0 { next.shuffle(using: &random) }
    return next == items ? items + [.law("n\(items.count)-\(random.next())")] : next
  }
}
