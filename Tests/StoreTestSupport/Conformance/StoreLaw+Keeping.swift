import ListChanges
import ListModel
import ListStore
import TestSupport

extension StoreLaw {
  static let looking = [
    StoreLaw("a version is found by its time, and an item's changes newest first") { law in
      for (number, texts) in [["a", "b"], ["b", "a=1"], ["b"], ["b", "a=2"]].enumerated() {
        try await law.append(texts.map { .law($0) }, CommitNote(time: .law(number * 10)))
      }
      try await law.store.read { reader in
        let list = try reader.record(of: .law)
        for (time, version) in [(-1, nil), (0, 1), (19, 2), (20, 3), (99, 4)] as [(Int, Int?)] {
          let found = try reader.newestVersion(of: list.key, notAfter: .law(time))
          try law.expect(
            found?.version.number == version, "\(time) finds \(String(describing: found))")
        }
        guard let key = try reader.keys(of: ["a"], in: list.key)[0] else {
          throw LawBroken(description: "an item that was there has no key")
        }
        var found: [(Int, Int?, Int?)] = []
        try reader.history(of: key, in: list) { change in
          found.append((change.record.version.number, change.from, change.to))
          return true
        }
        let expected: [(Int, Int?, Int?)] = [(4, nil, 1), (3, 1, nil), (2, 0, 1), (1, nil, 0)]
        try law.expect(found.elementsEqual(expected) { $0 == $1 }, "\(found)")
        var count = 0
        try reader.history(of: key, in: list) { _ in
          count += 1
          return count < 2
        }
        try law.expect(count == 2, "the history went on when it was not wanted")
      }
    },
    StoreLaw("checkpoints are what was written, and can be dropped with the head's order") { law in
      var stored: [[StoredItem]] = []
      for texts in [["a", "b"], ["b", "a", "c=1"], []] {
        try await law.append(texts.map { .law($0) })
        stored.append(
          try await law.store.write { writer in
            let list = try writer.record(of: .law)
            let items = try writer.headOrder(of: list)?.items() ?? []
            try writer.writeCheckpoint(items, at: list.head, of: list.key)
            return items
          })
      }
      let written = stored
      try await law.store.read { reader in
        let list = try reader.record(of: .law)
        for version in 1...3 {
          let found = try reader.checkpoint(at: Version(version), of: list.key)
          try law.expect(found == written[version - 1], "another checkpoint \(version)")
        }
        let newest = try reader.newestCheckpoint(of: list.key, notAfter: Version(2))
        try law.expect(newest == Version(2), "\(String(describing: newest))")
      }
      try await law.append(.law("z"))
      try await law.store.write { writer in
        try writer.dropCheckpoints(of: writer.record(of: .law).key)
      }
      try await law.store.read { reader in
        let list = try reader.record(of: .law)
        let newest = try reader.newestCheckpoint(of: list.key, notAfter: list.head)
        try law.expect(newest == nil, "a checkpoint that was dropped")
        try law.expect(try reader.headOrder(of: list) == nil, "an order that was dropped")
        let steps = try reader.steps(Version(1)...Version(4), of: list.key)
        try law.expect(steps.count == 4, "a step went with a checkpoint")
      }
    },
  ]

  static let pruning = [
    StoreLaw("pruning takes the oldest versions, and nothing that the others need") { law in
      var random = SeededRandom(seed: law.seed)
      var snapshots: [[Item]] = [[]]
      for _ in 0..<30 {
        snapshots.append(LawHistory.edited(snapshots[snapshots.count - 1], &random))
        try await law.append(snapshots[snapshots.count - 1])
      }
      let lists = snapshots
      var (oldest, prunes) = (1, [PruneRecord]())
      for floor in [2, 9, 10, 30] {
        let before = oldest
        let record = try await law.store.write { writer in
          let list = try writer.record(of: .law)
          let start =
            before == 1 ? [] : try writer.checkpoint(at: Version(before), of: list.key)
          var replayed = ReplayedList(start)
          let first = before == 1 ? 1 : before + 1
          for step in try writer.steps(Version(first)...Version(floor), of: list.key) {
            try replayed.apply(step.changes)
          }
          let items = replayed.elements
          let version = try writer.versions(Version(floor)...Version(floor), of: list.key)[0]
          try writer.writeCheckpoint(items, at: Version(floor), of: list.key)
          let record = PruneRecord(
            oldOldest: Version(before), newOldest: Version(floor), prunedAt: .law(floor),
            author: "p\u{0}", rule: "keep", chain: version.chain)
          try writer.prune(record, of: list.key)
          return record
        }
        (oldest, prunes) = (floor, [record] + prunes)
        let told = prunes
        try await law.store.read { reader in
          let list = try reader.record(of: .law)
          try law.expect(list.oldest == Version(floor), "\(list)")
          let count = try reader.versions(Version(1)...list.head, of: list.key).count
          try law.expect(count == 31 - floor, "\(count) versions")
          var items = try reader.checkpoint(at: Version(floor), of: list.key)
          try law.expect(try reader.items(of: items) == lists[floor], "another floor \(floor)")
          if floor < 30 {
            for step in try reader.steps(Version(floor + 1)...Version(30), of: list.key) {
              items = try items.applying(step.changes)
              try law.expect(
                try reader.items(of: items) == lists[step.version.number],
                "another version \(step.version) behind \(floor)")
            }
          }
          try law.expect(try reader.prunes(of: list.key) == told, "another record of prunings")
          try law.expect(try reader.rowFaults(of: list).isEmpty, "rows that break their rules")
          try law.expect(try reader.strayRowFaults().isEmpty, "rows of no list")
        }
      }
      try await law.append(lists[3])
      let head = try await law.store.read { try $0.head(of: .law) }
      try law.expect(head == lists[3], "another head behind a pruning")
    }
  ]

  static let keeping = [
    StoreLaw("a tag names one version, goes over to another, and can be removed") { law in
      for text in ["a", "b"] { try await law.append(.law(text)) }
      let names = [TagName("spring")!, TagName("Autumn")!]
      let tags = [(0, 1), (1, 2), (0, 2)].map { name, version in
        TagRecord(name: names[name], version: Version(version), taggedAt: .law(version))
      }
      try await law.store.write { writer in
        let list = try writer.record(of: .law).key
        for tag in tags { try writer.setTag(tag, of: list) }
      }
      try await law.store.read { reader in
        let list = try reader.record(of: .law).key
        try law.expect(try reader.tags(of: list) == [tags[1], tags[2]], "other tags")
        try law.expect(try reader.tag(names[0], of: list) == tags[2], "another tag")
      }
      try await law.store.write { writer in
        try writer.removeTag(names[0], of: writer.record(of: .law).key)
      }
      let left = try await law.store.read { try $0.tags(of: $0.record(of: .law).key) }
      try law.expect(left == [tags[1]], "\(left)")
    },
    StoreLaw("many tags are set in one transaction, and the last of a name counts") { law in
      for text in ["a", "b"] { try await law.append(.law(text)) }
      // Engines may write many rows in another way than few.
      let tags = (0..<80).map { number in
        TagRecord(
          name: TagName("t\(number % 40)")!, version: Version(number / 40 + 1),
          taggedAt: .law(number))
      }
      try await law.store.write { writer in
        let list = try writer.record(of: .law).key
        for tag in tags { try writer.setTag(tag, of: list) }
      }
      let found = try await law.store.read { try $0.tags(of: $0.record(of: .law).key) }
      try law.expect(Set(found.map(\.name)).count == 40 && found.count == 40, "\(found.count) tags")
      try law.expect(found.allSatisfy { tags[40...].contains($0) }, "an older tag")
    },
    StoreLaw("kept changes are what was kept; the least recently used go first") { law in
      let lists: [[Item]] = [[], .law("a"), .law("a=1", "b"), .law("b", "c")]
      for items in lists.dropFirst() { try await law.append(items) }
      func changes(_ from: Int, _ to: Int) throws -> ChangeSet<Item> {
        try Snapshot(lists[from]).changes(to: Snapshot(lists[to]))
      }
      func keep(_ from: Int, _ to: Int, at time: Int, byteLimit: Int = 1 << 20) async throws {
        let changes = try changes(from, to)
        try await law.store.write { writer in
          try writer.keepChanges(
            PackedChanges(changes), from: Version(from), to: Version(to),
            of: writer.record(of: .law).key,
            usedAt: .law(time), byteLimit: byteLimit)
        }
      }
      try await keep(0, 2, at: 1)
      try await keep(3, 1, at: 2)
      try await law.store.write { writer in
        try writer.keepChanges(
          nil, from: Version(0), to: Version(2), of: writer.record(of: .law).key, usedAt: .law(3),
          byteLimit: 1 << 20)
      }
      let expected = try changes(0, 2)
      let byteCount = try await law.store.read { reader in
        let list = try reader.record(of: .law)
        let kept = try reader.keptChanges(from: Version(0), to: Version(2), of: list.key)
        try law.expect(kept?.changes == expected && kept?.usedAt == .law(3), "other changes")
        let other = try reader.keptChanges(from: Version(1), to: Version(2), of: list.key)
        try law.expect(other == nil, "changes that nobody kept")
        let ranges = try reader.keptRanges(of: list.key)
        try law.expect(
          ranges == [
            KeptRange(from: Version(0), to: Version(2)),
            KeptRange(from: Version(3), to: Version(1)),
          ], "\(ranges)")
        return try reader.size(of: list).byteCounts[.keptChanges] ?? 0
      }
      try law.expect(byteCount > 0, "kept changes that take nothing")
      // Room for two: the one that was used first goes.
      let room = [try changes(0, 2), try changes(0, 3)].map {
        ChangeSetCoding.encode($0).count
      }.reduce(0, +)
      try await keep(0, 3, at: 4, byteLimit: room)
      let ranges = try await law.store.read { try $0.keptRanges(of: $0.record(of: .law).key) }
      try law.expect(
        ranges == [
          KeptRange(from: Version(0), to: Version(2)), KeptRange(from: Version(0), to: Version(3)),
        ], "\(ranges)")
    },
    StoreLaw("a token is in force until it is revoked, and stays on record") { law in
      let grants = [
        AccessGrant(.read, ListPattern("*")!), AccessGrant(.write, ListPattern("team-*")!),
      ].sorted()
      let tokens = ["b", "a", "a"].enumerated().map { number, name in
        TokenRecord(
          name: TokenName(name)!,
          secretHash: SecretHash(bytes: Array(repeating: UInt8(number), count: 32))!,
          createdAt: .law(number), grants: grants)
      }
      try await law.store.write { writer in
        for token in tokens {
          try writer.revokeToken(token.name, at: .law(9))
          try writer.addToken(token)
        }
      }
      let found = try await law.store.read { try $0.tokens() }
      try law.expect(found == [tokens[1].revoked(at: .law(9)), tokens[2], tokens[0]], "\(found)")
    },
    StoreLaw("a size counts what was written, and what is kept is sound") { law in
      for texts in [["a", "b"], ["b"], ["b", "c"]] {
        try await law.append(texts.map { .law($0) })
        try await law.append(texts.map { .law($0) }, to: ListName("other")!)
      }
      try await law.store.read { reader in
        let (whole, list) = (try reader.size(of: nil), try reader.record(of: .law))
        let own = try reader.size(of: list)
        try law.expect(whole.listCount == 2 && whole.versionCount == 6, "\(whole)")
        try law.expect(
          own.listCount == 1 && own.versionCount == 3 && own.changeCount == 4, "\(own)")
        try law.expect(whole.byteCount >= own.byteCount, "a list that is larger than its store")
        try law.expect(try reader.integrityFaults().isEmpty, "faults of a sound store")
        try law.expect(try reader.rowFaults(of: list).isEmpty, "faults of a sound list")
      }
    },
  ]

  static let atOnce = [
    StoreLaw("writers are alone, and none of their versions is lost") { law in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<8 {
          group.addTask {
            for number in 0..<5 {
              try await law.store.write { store in
                // Where the first look finds no list, a second one may: another writer created it.
                _ = try store.lockedList(.law) ?? store.createList(.law)
                let head = try store.head(of: .law)
                _ = try store.append(head + [.law("w\(writer)-\(number)")], to: .law, .law)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let (list, head) = try await law.store.read {
        (try $0.record(of: .law), try $0.head(of: .law))
      }
      try law.expect(list.head == Version(40) && Set(head.map(\.id)).count == 40, "\(list)")
    },
    StoreLaw("a reader sees one state, and the state's mark tells of every commit") { law in
      try await law.append(.law("a"))
      let before = try await law.store.dataVersion()
      try law.expect(try await law.store.dataVersion() == before, "a mark of nothing")
      let writing = Task {
        for number in 0..<30 { try await law.append(.law("a=\(number + 1)", "n\(number)")) }
      }
      for _ in 0..<30 {
        try await law.store.read { reader in
          let list = try reader.record(of: .law)
          let head = try reader.head(of: .law)
          let record = try reader.versions(list.head...list.head, of: list.key)[0]
          try law.expect(
            record.root == Root(of: Snapshot(uniqueItems: head)),
            "two states in one reading")
          try law.expect(try reader.record(of: .law) == list, "another list in one reading")
        }
      }
      try await writing.value
      try law.expect(try await law.store.dataVersion() != before, "the mark of before")
    },
    StoreLaw("what is kept where nobody writes is kept whole or not at all") { law in
      try await law.append(.law("a"))
      await law.store.writeIfFree { writer in
        try writer.setIDRule("[\"a\"]", of: writer.record(of: .law).key)
        throw LawBroken(description: "not meant")
      }
      let rule = try await law.store.read { try $0.record(of: .law).idRule }
      try law.expect(rule == nil, "a rule of a body that threw")
      await law.store.writeIfFree { writer in
        try writer.setIDRule("[\"b\"]", of: writer.record(of: .law).key)
      }
      let kept = try await law.store.read { try $0.record(of: .law).idRule }
      try law.expect(kept == "[\"b\"]", "a rule that was not kept though nobody wrote")
    },
  ]
}
