import Foundation
import GRDB
import StoreTestSupport
import TestSupport

/// The start files of every case, made once by the built program.
struct PathTemplates: Sendable {
  static let shared = Task { try await PathTemplates() }

  /// `store.db` and the files of every other `PathThing`, the documents that verbs read, and
  /// `repository`.
  let folder: URL
  /// The output of each verb that only reads `store.db`.
  private let answers: [String: [UInt8]]

  private static let documents = [
    "next.json": #"[{"id":"next","code":"next"},{"id":"second","code":"second"}]"#,
    "item.json": #"{"id":"new","code":"new"}"#,
    "edits.ndjson": #"{"put":{"id":"edited","code":"edited"}}"#,
    "held.json": #"[{"id":"held","code":"held"},{"id":"second","code":"second"}]"#,
  ]

  private init() async throws {
    let folder = try TemporaryFolder.make()
    for (name, text) in Self.documents {
      try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }
    try await Self.makeStore(in: folder)
    try await Self.makeDocuments(in: folder)
    try Self.makeOtherDatabases(in: folder)
    try Self.makeRepository(in: folder)
    var answers: [String: [UInt8]] = [:]
    for argument in FileArgument.all where argument.role == .store(.reads) {
      answers[argument.name] = try await Self.answer(to: argument, store: "store.db", in: folder)
    }
    (self.folder, self.answers) = (folder, answers)
  }

  func path(_ name: String) -> RawPath { RawPath(folder.appendingPathComponent(name).path) }

  /// A verb's output for `store.db` under its plain name.
  func answer(to argument: FileArgument) -> [UInt8]? { answers[argument.name] }

  /// A verb's output for a store under its plain name.
  static func answer(
    to argument: FileArgument, store: String, in folder: URL
  ) async throws -> [UInt8] {
    let words = argument.words.map { if case .text(let text) = $0 { text } else { store } }
    let option = words.contains(store) ? [] : ["--store", store]
    let outcome = try await SpawnedProgram.run(words + option, in: folder)
    try? FileManager.default.removeItem(at: folder.appendingPathComponent("copy.db"))
    guard outcome.exitCode == 0 else {
      throw SpawnedProgram.Failure(description: "\(words): \(outcome.errorText)")
    }
    return outcome.output
  }

  @discardableResult
  static func succeed(_ words: String..., in folder: URL) async throws -> [UInt8] {
    let outcome = try await SpawnedProgram.run(words, in: folder)
    guard outcome.exitCode == 0 else {
      throw SpawnedProgram.Failure(description: "\(words): \(outcome.errorText)")
    }
    return outcome.output
  }

  /// Three versions, a tag on one of them, and a token.
  private static func makeStore(in folder: URL) async throws {
    let store = ["--store", "store.db"]
    for (number, ids) in [["first"], ["first", "second"], ["second", "third"]].enumerated() {
      let items = ids.map { #"{"id":"\#($0)","code":"\#($0)"}"# }.joined(separator: ",")
      try Data("[\(items)]".utf8).write(to: folder.appendingPathComponent("list.json"))
      let time = "2026-01-0\(number + 1)"
      try await succeed(
        "commit", "parks", "list.json", "--at", time, store[0], store[1], in: folder)
    }
    try await succeed("tag", "parks", "summer", "2", store[0], store[1], in: folder)
    try await succeed("token", "create", "reader", "--read", "*", store[0], store[1], in: folder)
    let bytes = try Data(contentsOf: folder.appendingPathComponent("store.db"))
    try bytes.prefix(bytes.count * 2 / 3)
      .write(to: folder.appendingPathComponent("\(PathThing.truncated).db"))
  }

  private static func makeDocuments(in folder: URL) async throws {
    try await succeed(
      "bundle", "create", "parks", "-o", "parks.bundle", "--store", "store.db", in: folder)
    try await succeed(
      "bundle", "apply", "parks.bundle", "--as", "copied", "--store", "copied.db", in: folder)
    let delta = try await succeed("commit", "first", "next.json", "--dry-run", "--json", in: folder)
    try Data(delta).write(to: folder.appendingPathComponent("first.delta"))
    try await Data(succeed("compare", "next.json", "held.json", in: folder))
      .write(to: folder.appendingPathComponent("next.delta"))
    // A bundle has no tokens, so the server asks for none.
    let served = folder.appendingPathComponent("served.db").path
    try await succeed("bundle", "apply", "parks.bundle", "--store", served, in: folder)
    let server = try ServerProgram(store: served)
    try await succeed(
      "pull", "parks", server.address(), "--copy", "parks.replica", in: folder)
    server.signal(SIGTERM)
    _ = try await server.end()
  }

  private static func makeOtherDatabases(in folder: URL) throws {
    func path(_ thing: PathThing) -> String { folder.appendingPathComponent("\(thing).db").path }
    let foreign = try DatabaseQueue(path: path(.foreign))
    try foreign.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    try foreign.close()
    for (thing, id, schema) in [
      (PathThing.newer, 0x4C53_5432, 99), (.unreleased, 0x4C53_594E, 8),
    ] {
      let other = try DatabaseQueue(path: path(thing))
      try other.write { db in
        try db.execute(
          sql: """
            PRAGMA application_id = \(id); PRAGMA user_version = \(schema); CREATE TABLE t (a)
            """)
      }
      try other.close()
    }
  }

  private static func makeRepository(in folder: URL) throws {
    let list = #"[{"id":"imported","code":"imported"}]"#
    let repository = try RepositoryFixture()
    try repository.load(FixtureCommit("First list", .write("parks.json", list)))
    try FileManager.default.copyItem(
      at: repository.url, to: folder.appendingPathComponent("repository"))
  }
}
