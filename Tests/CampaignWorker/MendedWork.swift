import Foundation
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService

/// Acts upon stores whose rows were changed, with all digests mended. Reports each act before it
/// begins, so that the last line tells which act ended the process.
struct MendedWork {
  private let folder: String
  private let seed: UInt64
  private let numbers: Range<Int>

  /// The most memory that the acts may use.
  private static let memoryLimitKilobytes = 400_000
  private static let longestActSeconds: UInt32 = 30

  init(_ arguments: ArraySlice<String>) throws {
    let arguments = Array(arguments)
    guard arguments.count == 4, let seed = UInt64(arguments[1]), let first = Int(arguments[2]),
      let end = Int(arguments[3])
    else { throw UsageError() }
    (folder, self.seed, numbers) = (arguments[0], seed, first..<end)
  }

  private var source: String { "\(folder)/source.db" }

  func run() async throws {
    if !FileManager.default.fileExists(atPath: source) { try await makeSource() }
    for number in numbers { try await examine(number) }
  }

  private func makeSource() async throws {
    let store = try SQLiteStore(path: source, ifAbsent: .create)
    try await RowFixture.fill(store, SyncService(store: store) { TestStore.noon })
  }

  private func examine(_ number: Int) async throws {
    let path = "\(folder)/changed.db"
    guard let changes = try await change(path, number) else { return }
    CampaignWorker.say("\(number) \(changes)")
    do {
      let store = try SQLiteStore(readingFrom: path)
      let service = SyncService(store: store) { TestStore.noon }
      let answers = await RowAnswers(of: store, service) { start("\(number) \($0)") }
      for error in answers.refusals.map(\.error) { report(error, number) }
    }
    for act in Self.acts {
      start("\(number) \(act.name)")
      // Each act finds the rows as they were changed.
      let copy = "\(folder)/copy.db"
      try replace(copy, from: path)
      do {
        let store = try SQLiteStore(path: copy, ifAbsent: .fail)
        try await act.run(store, SyncService(store: store) { TestStore.noon })
      } catch {
        report(error, number)
      }
    }
    alarm(0)
    if let used = Self.usedKilobytes, used > Self.memoryLimitKilobytes {
      CampaignWorker.say("! \(number) used \(used / 1000) MB")
      exit(3)
    }
  }

  /// Makes the changed store.
  ///
  /// - Returns: the changes; nil if the schema forbids them.
  private func change(_ path: String, _ number: Int) async throws -> String? {
    try replace(path, from: source)
    let store = try SQLiteStore(path: path, ifAbsent: .fail)
    return try? await store.write { writer in
      var mutation = RowMutation(seed: seed, number: number)
      try mutation.run(in: writer)
      return mutation.description
    }
  }

  private func replace(_ path: String, from source: String) throws {
    for end in ["", "-wal", "-shm"] { unlink(path + end) }
    try FileManager.default.copyItem(atPath: source, toPath: path)
  }

  /// A signal ends the process if the act does not end.
  private func start(_ act: String) {
    CampaignWorker.say(act)
    alarm(Self.longestActSeconds)
  }

  private func report(_ error: any Error, _ number: Int) {
    switch error {
    case is ServiceError, StoreError.corrupt, StoreError.listFull: break
    default: CampaignWorker.say("! \(number) \(error)")
    }
  }

  /// The most memory that this process ever used.
  private static var usedKilobytes: Int? {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
  }

  private struct Act: Sendable {
    let name: String
    let run: @Sendable (SQLiteStore, SyncService) async throws -> Void

    init(
      _ name: String, _ run: @escaping @Sendable (SQLiteStore, SyncService) async throws -> Void
    ) {
      (self.name, self.run) = (name, run)
    }
  }

  private static let acts =
    [
      Act("verify") { _ = try await $1.verify() },
      Act("verify deeply") { _ = try await $1.verify(depth: .everything) },
      Act("size") { store, _ in _ = try await store.read { try $0.size(of: nil) } },
    ] + RowFixture.names.flatMap { readings(of: $0) + writings(of: $0) }

  private static func readings(of list: ListName) -> [Act] {
    [
      Act("places in \(list)") { _ = try await $1.places(of: "i3", in: list) },
      Act("proof in \(list)") {
        _ = try await $1.prove(itemAmong: ["i3"], of: ListRevision(list))
      },
      Act("replay of \(list)") {
        try await $1.replay(list, from: .version(Version(4)), to: .head) { _ in }
      },
      Act("copy of \(list)") { _, service in
        let other = SyncService(store: MemoryStore()) { TestStore.noon }
        _ = try await other.copy(list, from: service)
      },
    ]
  }

  private static func writings(of list: ListName) -> [Act] {
    [
      Act("compact of \(list)") { _ = try await $1.compact(list) },
      Act("due compact of \(list)") { _ = try await $1.compactIfDue(list) },
      Act("prune of \(list)") { _ = try await $1.prune(list, keepLast: 3) },
      Act("edit of \(list)") {
        let put = Edit.put(try TestHistory.item("i3", 77), .first)
        _ = try await $1.commit(CommitRequest(list: list, edits: [put, .remove("i5")]))
      },
      Act("commit of \(list)") {
        _ = try await $1.commit(CommitRequest(list: list, snapshot: .of("i1=5", "n", "i4")))
      },
      Act("revert of \(list)") {
        _ = try await $1.commit(CommitRequest(list: list, revertTo: .version(Version(5))))
      },
      Act("drop of \(list)") { _ = try await $1.drop(DepartureRequest(list: list)) },
    ]
  }
}
