import Foundation
import ListDocuments
import ListModel
import TestSupport
import Testing

/// The clients agree about proofs and notes that somebody has changed, whatever each one's language
/// takes for a number, a space, a line end or a key.
@Suite struct MutationTests {
  /// A client in another language, and the program with which it judges.
  enum Client: String, CaseIterable, CustomTestStringConvertible {
    case python = "python3 Clients/Python/tests/judge.py"
    case javaScript = "node Clients/JavaScript/tests/judge.mjs"

    var words: [String] { rawValue.split(separator: " ").map(String.init) }
    var testDescription: String { words[0] }
    var isInstalled: Bool { Command.succeeds(["which", words[0]]) }
  }

  @Test(arguments: Client.allCases.filter(\.isInstalled))
  func changedProofsAreJudgedAlike(client: Client) throws {
    var random = SeededRandom.forThisRun()
    var mutator = TextMutator(random)
    let proofs = try VectorFile.read("proofs").filter { $0["proof"] != nil }
    let accepted = proofs.filter { $0["refused"] == nil }
    let cases = try (0..<2_000).map { _ in
      let vector = random.element(of: random.chance(6) ? proofs : accepted)
      let proof = try #require(vector["proof"]?.text)
      let cursor = try #require(vector["cursor"]?.text)
      return [
        "proof": mutator.json(proof), "cursor": random.chance(9) ? mutator.text(cursor) : cursor,
      ]
    }
    let verdicts = cases.map { Self.verdict(onProof: $0["proof"] ?? "", $0["cursor"] ?? "") }
    #expect(verdicts.filter { $0 != "refused" }.count > 100)
    try compare(cases, verdicts, client, seed: random.seed)
  }

  @Test(arguments: Client.allCases.filter(\.isInstalled))
  func changedNotesAndKeysAreJudgedAlike(client: Client) throws {
    var random = SeededRandom.forThisRun()
    var mutator = TextMutator(random)
    let notes = try VectorFile.read("notes")
    let accepted = notes.filter { $0["refused"] == nil }
    let cases = try (0..<1_000).map { _ in
      let vector = random.element(of: random.chance(3) ? notes : accepted)
      var note = try #require(vector["note"]?.text)
      var key = try #require(vector["key"]?.text)
      let other = random.element(of: [VectorKeys.next, VectorKeys.other])
      if random.chance(4) { key = "\(other.verifier)" }
      if random.chance(3) { note.append(random.element(of: notes)["note"]?.text ?? "") }
      if random.chance(4) { key = mutator.text(key) }
      if random.chance(2) { note = mutator.text(note) }
      if random.chance(9) { note = note.replacing("\n", with: "\r\n") }
      return ["note": note, "key": key, "list": try #require(vector["list"]?.text)]
    }
    let verdicts = cases.map { one in
      Self.verdict(onNote: one["note"] ?? "", one["key"] ?? "", one["list"] ?? "")
    }
    #expect(["malformed", "false-signature", "other-key"].allSatisfy(verdicts.contains))
    #expect(verdicts.filter { $0.contains(" ") }.count > 10)
    try compare(cases, verdicts, client, seed: random.seed)
  }

  private static func verdict(onProof text: String, _ cursor: String) -> String {
    guard let cursor = Cursor(given: cursor), let proof = try? ListProof(Array(text.utf8)),
      (try? proof.check(against: cursor)) != nil, let note = proof.state.header?.note
    else { return "refused" }
    return """
      \(proof.list.text) \(proof.item.id.text) \(proof.item.content) \(proof.index) \
      \(proof.state.count) \(proof.state.knownCursor) \(note.time)
      """
  }

  private static func verdict(onNote note: String, _ key: String, _ list: String) -> String {
    guard let key = VerifierKey(key) else { return "malformed" }
    do throws(HeadRefusal) {
      let head = try SignedHead(note: note, signedBy: key)
      guard head.list.text == list else { throw .otherList(head.list) }
      return "\(head.version) \(head.root) \(head.chain) \(head.successor?.description ?? "None")"
    } catch {
      return error.kind
    }
  }

  private func compare(
    _ cases: [[String: String]], _ verdicts: [String], _ client: Client, seed: UInt64
  ) throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("mutations-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try JSONEncoder().encode(cases).write(to: file)
    let bytes = try #require(Command.output(client.words + [file.path], in: Project.root))
    let found = try JSONDecoder().decode([String].self, from: bytes)
    #expect(found.count == cases.count)
    for (number, (own, other)) in zip(verdicts, found).enumerated()
    where !own.utf8.elementsEqual(other.utf8) {
      Issue.record(
        "\(client.words[0]): \(other), and Swift: \(own), of \(cases[number]); seed \(seed)")
    }
  }
}
