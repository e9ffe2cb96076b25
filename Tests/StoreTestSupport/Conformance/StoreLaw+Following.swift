import ListModel
import ListStore
import SyncService
import TestSupport

/// A server follows its store by these.
extension StoreLaw {
  static let following = [
    StoreLaw("what changed after a mark is what was written after it, and nothing else") { law in
      let films = ListName("films")!
      try await law.append(.law("a"))
      try await law.append(.law("a"), to: films)
      var mark: ChangeToken? = try await law.mark()
      func expect(
        _ names: [ListName], others: Bool = false, _ what: String,
        _ write: @Sendable (ListWriter) throws -> Void
      ) async throws {
        let keys = try await law.store.write { writer in
          let before = try names.compactMap { try writer.lockedList($0)?.key }
          try write(writer)
          return try Set(before + names.compactMap { try writer.lockedList($0)?.key })
        }
        let (now, changes) = try await law.store.read { [mark] in
          try $0.changedLists(after: mark)
        }
        try law.expect(
          changes.map { Set($0.keys) == keys && $0.includesOthers == others } ?? false,
          "\(what) changed \(changes.debugDescription), not \(keys)")
        mark = now
      }
      let (new, newer) = (ListName("new")!, ListName("newer")!)
      let token = TokenRecord(
        name: TokenName("a")!, secretHash: SecretHash(bytes: Array(repeating: 1, count: 32))!,
        createdAt: .law(1), grants: [AccessGrant(.read, .all)])
      try await expect([], "nothing") { _ in }
      try await expect([.law], "a commit") { _ = try $0.append(.law("b"), to: .law, .law) }
      try await expect([.law, films], "two commits") { writer in
        _ = try writer.append(.law("c"), to: .law, .law)
        _ = try writer.append(.law("c"), to: films, .law)
      }
      try await expect([new], "a new list") { _ = try $0.createList(new) }
      try await expect([new], "a start") { writer in
        let items: [Item] = .law("a")
        let start = VersionRecord(
          version: Version(5), note: .law, count: 1,
          changes: ChangeCounts(removed: 0, moved: 0, inserted: 1, updated: 0),
          root: Root(of: Snapshot(uniqueItems: items)), previous: .zero)
        try writer.start(writer.key(of: new), at: start) { items[0] }
      }
      try await expect([new], "an id rule") { try $0.setIDRule("[]", of: $0.key(of: new)) }
      try await expect([new], "a title") {
        try $0.setTitlePath(JSONPointer(tokens: ["name"]), of: $0.key(of: new))
      }
      try await expect([new], "another title") {
        try $0.setTitlePath(JSONPointer(tokens: ["title"]), of: $0.key(of: new))
      }
      try await expect([new], "a limit of removals") {
        try $0.setLimits([.removed: .percent(20)], of: $0.key(of: new))
      }
      try await expect([.law], "a pruning") { writer in
        let list = try writer.record(of: .law)
        try writer.writeCheckpoint(
          writer.headOrder(of: list)?.items() ?? [], at: list.head, of: list.key)
        try writer.prune(
          PruneRecord(
            oldOldest: Version(1), newOldest: list.head, prunedAt: .law(3), author: nil,
            rule: "1", chain: writer.versions(list.head...list.head, of: list.key)[0].chain),
          of: list.key)
      }
      try await expect([], "a tag") {
        try $0.setTag(
          TagRecord(name: TagName("t")!, version: .zero, taggedAt: .law(1)), of: $0.key(of: .law))
      }
      try await expect([], "a checkpoint") {
        try $0.writeCheckpoint([], at: .zero, of: $0.key(of: films))
        try $0.dropCheckpoints(of: $0.key(of: films))
      }
      try await expect([], "an import") {
        try $0.setImportPosition("1", of: "s", in: $0.key(of: .law))
      }
      try await expect([], others: true, "a token") { try $0.addToken(token) }
      try await expect([], others: true, "a revocation") {
        try $0.revokeToken(token.name, at: .law(4))
      }
      try await expect([new, newer], others: true, "a new name") {
        try $0.rename($0.key(of: new), .law(new, newName: newer))
      }
      try await expect([newer], others: true, "a dropped list") {
        try $0.drop($0.key(of: newer), .law(newer))
      }
    },
    StoreLaw("a mark is answered whole, or not at all when too much has changed since") { law in
      let first = try await law.mark()
      for number in 0..<3000 {
        try await law.store.write { writer in
          _ = try writer.createList(ListName("list\(number)")!)
        }
        let changes = try await law.store.read { try $0.changedLists(after: first).changes }
        if let changes {
          try law.expect(changes.keys.count == number + 1, "\(changes.keys.count) of \(number)")
        } else {
          return try law.expect(number > 30, "no changes after \(number)")
        }
      }
      try law.expect(false, "a record without end")
    },
    StoreLaw("a headCache that reads what changed shows what one shows that reads everything") {
      law in
      var acts = FollowedActs(law)
      let headCache = HeadCache(service: acts.service)
      for round in 0..<40 {
        for _ in 0..<Int.random(in: 0...3, using: &acts.random) { try await acts.next() }
        try await headCache.refresh()
        let fresh = HeadCache(service: acts.service)
        try await fresh.refresh()
        try law.expect(headCache.heads() == fresh.heads(), "heads of round \(round)")
        for name in FollowedActs.names {
          try law.expect(
            headCache.head(of: name) == fresh.head(of: name), "\(name), round \(round)")
          try law.expect(
            headCache.retiredList(name) == fresh.retiredList(name), "former \(name), round \(round)"
          )
        }
        for caller in acts.callers {
          try law.expect(
            headCache.access.admits(caller) == fresh.access.admits(caller), "access, round \(round)"
          )
        }
      }
    },
    StoreLaw("names are selected by prefix, from a name on, and up to a limit") { law in
      let names = ["a", "a-1", "a.b", "A", "ab", "b", "_", "z9", "zz"].map { ListName($0)! }
      try await law.store.write { writer in
        for name in names { _ = try writer.createList(name) }
      }
      let ordered = names.sorted()
      for prefix in ["", "a", "a-", "z", "zz", "é", "%", "x"] {
        for after in [nil] + (names + [ListName("aa")!]).map(Optional.some) {
          for limit in [nil, 1, 2, 100] {
            let found = try await law.store.read {
              try $0.lists(.names(NameRange(prefix: prefix, after: after, limit: limit)))
            }
            let expected = ordered.filter { name in
              name.text.hasPrefix(prefix) && after.map { $0 < name } ?? true
            }.prefix(limit ?? .max)
            try law.expect(
              found.map(\.name) == Array(expected), "\(prefix) \(after?.text ?? "") gave \(found)")
          }
        }
      }
    },
  ]
}

extension ListReader {
  fileprivate func key(of name: ListName) throws -> ListKey { try record(of: name).key }
}

extension RetiredList {
  fileprivate static func law(_ name: ListName, newName: ListName? = nil) -> RetiredList {
    RetiredList(
      name: name, version: .zero, chain: .zero, leftAt: .law(2), author: nil, newName: newName)
  }
}

extension LawStore {
  fileprivate func mark() async throws -> ChangeToken {
    try await store.read { try $0.changedLists(after: nil).mark }
  }
}

/// Random acts of the service on few names.
private struct FollowedActs {
  static let names = ["a", "b", "c", "d"].map { ListName($0)! }

  let service: SyncService
  var random: SeededRandom
  var callers = [Caller.anyone]
  private var number = 0

  init(_ law: LawStore) {
    service = SyncService(store: law.store) { .law(0) }
    random = SeededRandom(seed: law.seed)
  }

  /// An act that is refused is one, too.
  mutating func next() async throws {
    number += 1
    do { try await act() } catch is ServiceError {}
  }

  private mutating func act() async throws {
    let (name, other) = (
      Self.names.randomElement(using: &random)!, Self.names.randomElement(using: &random)!
    )
    switch Int.random(in: 0..<12, using: &random) {
    case 0: _ = try await service.drop(DepartureRequest(list: name))
    case 1, 2: _ = try await service.rename(DepartureRequest(list: name), to: other)
    case 3:
      _ = try await service.prune(PruneRequest(list: name, rule: RetentionRule(keepLast: 2)!))
    case 4:
      let token = try await service.makeToken(
        named: TokenName("t\(Int.random(in: 0..<3, using: &random))")!,
        grants: [AccessGrant(.read, .all)])
      let access = AccessList(try await service.tokens())
      callers += [access.caller(presenting: token.secret.text)].compactMap(\.self)
    case 5:
      _ = try await service.revokeToken(
        named: TokenName("t\(Int.random(in: 0..<3, using: &random))")!)
    case 6: _ = try await service.tag(TagName("t\(number)")!, of: name)
    case 7: _ = try await service.delta(of: name, since: .version(.zero))
    default:
      var request = CommitRequest(
        list: name, snapshot: Snapshot(uniqueItems: .law("a=\(number)", "b\(number % 7)")))
      request.beginsAgain = Bool.random(using: &random)
      if number % 5 == 0 { request.titlePath = JSONPointer(tokens: ["m\(number)"]) }
      if number % 7 == 0 { request.limits[.removed] = .count(number) }
      if number % 6 == 0 { request.idRule = "[\"/m\(number)\"]" }
      _ = try await service.commit(request)
    }
  }
}
