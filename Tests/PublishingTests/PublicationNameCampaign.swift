import Foundation
import ListModel
import Publishing
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncClient

/// Stores are restored from backups, lists begin again, and histories repeat themselves in part or
/// whole. No name of a published file ever has two contents, so clients behind a cache that keeps
/// such files for ever reach the exact list.
@Suite struct PublicationNameCampaign {
  @Test func namesOfFilesNeverHaveTwoContentsOverRestoredAndRepeatedHistories() async throws {
    let campaign = Campaign("names of published files")
    var (publicationCount, returnCount) = (0, 0)
    for round in 0..<campaign.rounds(3, long: 200) {
      var world = try NameWorld(campaign.random(round))
      do {
        for _ in 0..<40 { try await world.act() }
      } catch {
        Issue.record("seed \(campaign.seed), round \(round): \(error)")
      }
      publicationCount += world.publicationCount
      returnCount += world.returnCount
    }
    campaign.report("\(publicationCount) publications, \(returnCount) files that came back")
    #expect(publicationCount > 0 && returnCount > 0)
  }
}

/// A store with its backups, its publication, a cache in front of it, and clients.
private struct NameWorld {
  private static let itemCount = 60

  private var random: SeededRandom
  private var test: TestStore
  private let publication: Publication
  private var backups: [String] = []
  private var copies: [ListCopy] = [.empty]
  private let cache: ForeverCache
  private var contents: [String: [UInt8]] = [:]
  private var present: Set<String> = []
  private(set) var publicationCount = 0
  /// How many files were written that had been removed.
  private(set) var returnCount = 0

  init(_ random: SeededRandom) throws {
    (self.random, test, publication) = (random, try TestStore(), try Publication())
    cache = ForeverCache(FolderTransport(publication.folder))
  }

  mutating func act() async throws {
    switch random.number(0...11) {
    case 0...4: try await commit(beginsAgain: false)
    case 5: try await save()
    case 6: if let backup = backups.randomElement(using: &random) { try restore(backup) }
    case 7 where try await isThere():
      _ = try await test.service.drop(DepartureRequest(list: .parks))
      try await commit(beginsAgain: true)
    case 8 where try await isThere(): _ = try await test.service.prune(.parks, keepLast: 3)
    case 9 where random.number(0...3) == 0:
      // The folder is lost; caches have what they have.
      try? FileManager.default.removeItem(at: publication.place)
    default: if try await isThere() { try await publish() }
    }
  }

  private func isThere() async throws -> Bool {
    try await !test.service.lists().isEmpty
  }

  /// One of two changes of the item whose turn it is, so that histories repeat themselves.
  private mutating func commit(beginsAgain: Bool) async throws {
    var items = try Snapshot.of((0..<Self.itemCount).map { "i\($0)" }).items
    if !beginsAgain, try await isThere() {
      let (state, snapshot) = try await test.service.snapshot(of: .parks, at: .head)
      items = snapshot.items
      let index = state.version.number % items.count
      let change = "i\(index)=\(state.version.number * 2 + random.number(1...2))"
      items[index] = try Snapshot.of(change).items[0]
    }
    var request = CommitRequest(list: .parks, snapshot: try Snapshot(items))
    request.beginsAgain = beginsAgain
    _ = try await test.service.commit(request)
  }

  private mutating func save() async throws {
    let path = publication.folder.appendingPathComponent("backup-\(backups.count).db").path
    _ = try await Backup(of: test.store, to: path).run()
    backups.append(path)
  }

  private mutating func restore(_ backup: String) throws {
    test = try TestStore(copying: backup)
  }

  private mutating func publish() async throws {
    let base = random.number(2...3)
    _ = try await Publisher(test.service, folder: publication.folder.path, base: base)
      .publish(.parks)
    publicationCount += 1
    let names = publication.files().subtracting(["head.json"])
    for name in names {
      let content = try publication.bytes(name)
      if let former = contents[name] {
        #expect(former == content, "\(name)")
        if !present.contains(name) { returnCount += 1 }
      }
      contents[name] = content
    }
    present = names
    try await catchUpAll()
  }

  /// Clients that come at each publication, and that stay for some.
  private mutating func catchUpAll() async throws {
    let (state, snapshot) = try await test.service.snapshot(of: .parks, at: .head)
    let head = try ListCopy(state: state, snapshot: snapshot)
    for copy in copies {
      var options = ReplicaMachine.Options(list: .parks)
      (options.watches, options.retry.tryLimit) = (false, 6)
      let session = ReplicaSession(
        options, origin: AddressOrigin(cache, clock: .immediate), storage: ReplicaMemory(copy),
        clock: .immediate)
      try await session.start()
      try await session.settle()
      let reached = await session.copy
      #expect(reached == head, "from \(copy.cursor) to \(state.knownCursor)")
    }
    copies.append(head)
    if copies.count > 4 { copies.remove(at: random.number(1...3)) }
  }
}

/// A cache that keeps each file but the head for ever, and ignores what requests say about it.
private actor ForeverCache: FileTransport, ReplicaTransport {
  private let origin: FolderTransport
  private var kept: [String: ReplicaResponse] = [:]

  init(_ origin: FolderTransport) { self.origin = origin }

  func send(_ request: ReplicaRequest) async throws -> ReplicaResponse {
    try await origin.send(request)
  }

  func get(
    _ path: String, headers: [(name: String, value: String)], waitSeconds: Int
  ) async throws -> ReplicaResponse {
    if let response = kept[path] { return response }
    let response = try await origin.get(path, headers: headers, waitSeconds: waitSeconds)
    if response.status == 200, !path.hasSuffix("head.json") { kept[path] = response }
    return response
  }
}
