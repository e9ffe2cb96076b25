import Foundation
import TestSupport

/// A store in a folder of its own, with the documents that verbs read. The folder is deleted with
/// this object.
///
/// Its subfolder `store` holds the store and the files that verbs make.
final class PairStore: Sendable {
  let root: URL
  var folder: URL { root.appendingPathComponent("store") }
  var path: String { folder.appendingPathComponent("lists.db").path }

  init() throws {
    root = try TemporaryFolder.make().appendingPathComponent("original")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  init(copying original: PairStore) throws {
    root = try TemporaryFolder.make().appendingPathComponent("copy")
    try FileManager.default.copyItem(at: original.root, to: root)
  }

  deinit { try? FileManager.default.removeItem(at: root.deletingLastPathComponent()) }

  func start(
    _ call: PairCall, environment: [String: [UInt8]] = [:]
  ) throws -> SpawnedProgram {
    let words = call.verb.words(call.slot).map {
      $0.replacing("STORE/", with: folder.path + "/")
    }
    return try SpawnedProgram(
      (words + ["--store", path]).map { Array($0.utf8) }, in: root, environment: environment)
  }

  /// The names of files that belong neither to the store nor to a finished verb.
  func strayNames(after calls: [PairCall]) throws -> [String] {
    let known =
      ["lists.db", "lists.db-wal", "lists.db-shm"]
      + calls.compactMap { $0.verb.product($0.slot) }
    return try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { !known.contains($0) }
  }
}

/// One of two verbs that run at once, with the number of its documents.
struct PairCall: Hashable, Sendable {
  let verb: PairVerb
  let slot: Int

  static func == (one: PairCall, other: PairCall) -> Bool {
    one.verb.name == other.verb.name && one.slot == other.slot
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(verb.name)
    hasher.combine(slot)
  }
}

/// The result of a call: its output about the store, and the file it made.
struct PairResult: Equatable, Sendable, CustomStringConvertible {
  let exitCode: Int32
  let answer: String
  let product: Product?

  enum Product: Equatable, Sendable {
    case state(PairState)
    case bytes([UInt8])
  }

  init(_ outcome: SpawnedProgram.Outcome, of call: PairCall, in store: PairStore) async throws {
    exitCode = outcome.exitCode
    answer = try Self.answer(outcome, call.verb.answer)
      .replacing(store.root.path, with: "")
      // Prunings print times of the clock.
      .replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "TIME")
    product = exitCode == 0 ? try await Self.product(of: call, in: store) : nil
  }

  /// A short form for failures.
  var description: String {
    let made =
      switch product {
      case .state(let state): ", makes \(state.summary)"
      case .bytes(let bytes): ", makes \(bytes.count) bytes"
      case nil: ""
      }
    return "exit \(exitCode), says '\(answer.prefix(200))'\(made)"
  }

  private static func answer(
    _ outcome: SpawnedProgram.Outcome, _ answer: PairVerb.Answer
  ) throws -> String {
    guard outcome.exitCode == 0 else { return "" }
    switch answer {
    case .text: return outcome.text
    case .none: return ""
    case .members(let names):
      let document = try JSONSerialization.jsonObject(with: Data(outcome.output))
      let members = document as? [String: Any] ?? [:]
      return names.map { "\($0) \(members[$0] ?? "-")" }.joined(separator: ", ")
    }
  }

  private static func product(
    of call: PairCall, in store: PairStore
  ) async throws -> Product? {
    guard let name = call.verb.product(call.slot) else { return nil }
    let url = store.folder.appendingPathComponent(name)
    if name.hasSuffix(".db") { return .state(try await PairState(at: url.path)) }
    return .bytes(Array(try Data(contentsOf: url)))
  }
}
