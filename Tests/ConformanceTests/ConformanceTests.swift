import ListChanges
import ListDocuments
import ListModel
import TestSupport
import Testing

@testable import SyncClient

/// The library is judged by the checked-in vectors, as clients in other languages are.
@Suite struct ConformanceTests {
  @Test func textsAreSpelledAsTheVectorsSay() throws {
    for vector in try VectorFile.read("spellings") {
      let (kind, text) = (try vector.string("kind"), try vector.string("text"))
      let written: String?
      switch kind {
      case "version": written = Version(text: text)?.description
      case "cursor": written = Cursor(text)?.description
      case "root": written = Root(text)?.description
      case "chain": written = Chain(text)?.description
      case "list-name": written = ListName(text)?.description
      default:
        #expect(kind == "time")
        let time = Timestamp.read(text).flatMap {
          if case .moment(let time) = $0 { time } else { nil }
        }
        written = time?.description
        #expect(time.map { Double($0.millisecondsSince1970) } == vector["milliseconds"]?.number)
      }
      #expect(written == vector["written"]?.text, "\(vector)")
      #expect((written == nil) == (vector["refused"] == .bool(true)), "\(vector)")
    }
  }

  @Test func contentsHaveTheirCanonicalForms() throws {
    for vector in try VectorFile.read("contents") {
      let bytes = try vector["hex"]?.text.map(Self.bytes) ?? Array(vector.string("json").utf8)
      let found = try? Content(json: bytes)
      #expect(found?.bytes == vector["canonical"]?.text.map { Array($0.utf8) }, "\(vector)")
      guard let found else { continue }
      #expect(try Content(json: found.bytes) == found, "\(vector)")
    }
  }

  private static func bytes(_ hex: String) -> [UInt8] {
    Array(hex.utf8).chunks(of: 2).map {
      UInt8(String(decoding: $0, as: UTF8.self), radix: 16) ?? 0
    }
  }

  @Test func listsHaveTheirRootsAlsoAfterEachChange() throws {
    for vector in try VectorFile.read("roots") {
      let items = try vector.items("items")
      let hashes = vector["hashes"]?.elements ?? []
      if !hashes.isEmpty {
        let found = RootTree.hashes(of: items).map { Root($0).description }
        #expect(found == hashes.compactMap(\.text), "\(vector)")
      }
      var list = ProvenList<[Item]>(try Snapshot(items))
      #expect(list.root.description == vector["root"]?.text, "\(vector)")
      for step in vector["steps"]?.elements ?? [] {
        let to = ListState(
          cursor: nil, count: try step.changes(from: list.count).newCount,
          root: try #require(Root(step.string("root"))))
        try list.apply(
          DeltaDocument(
            list: nil, from: ListState(of: list.snapshot), to: to, oldest: nil,
            changes: step.changes(from: list.count)))
      }
    }
  }

  @Test func stepsExtendTheChain() throws {
    for vector in try VectorFile.read("chains") {
      let version = Version(try vector.int("version"))
      guard case .moment(let time)? = Timestamp.read(try vector.string("time")) else {
        Issue.record("\(vector)")
        continue
      }
      let previous = try #require(Chain(vector.string("previous")))
      let chain = previous.extended(
        to: version, root: try #require(Root(vector.string("root"))),
        note: CommitNote(
          time: time, author: vector["author"]?.text, message: vector["message"]?.text))
      #expect(chain.hex == vector["chain"]?.text, "\(vector)")
      #expect(Cursor(version: version, chain: chain).description == vector["cursor"]?.text)
    }
  }

  @Test func changeSetsAreTheCanonicalOnes() throws {
    for vector in try VectorFile.read("diffs") {
      try Self.check(vector, "old", "new", "changes")
    }
  }

  @Test func changeSetsCompose() throws {
    for vector in try VectorFile.read("compositions") {
      let ab = try Self.check(vector, "a", "b", "ab")
      let bc = try Self.check(vector, "b", "c", "bc")
      let ac = try Self.check(vector, "a", "c", "ac")
      #expect(ab.composed(with: bc) == ac, "\(vector)")
    }
  }

  /// Compares two lists, and applies the changes.
  @discardableResult
  private static func check(
    _ vector: JSONValue, _ old: String, _ new: String, _ changes: String
  ) throws -> ChangeSet<Item> {
    let (old, new) = (try Snapshot(vector.items(old)), try Snapshot(vector.items(new)))
    let stated = try vector.changes(from: old.items.count, changes)
    let complete = try stated.completed { old.items[$0] }
    #expect(BareChanges(old.changes(to: new)) == stated, "\(vector)")
    #expect(try old.applying(complete) == new, "\(vector)")
    return complete
  }

  @Test func deltasLeadToTheirLists() throws {
    for vector in try VectorFile.read("deltas") {
      let outcome = DeltaOutcome(try vector.string("document"), on: try vector.items("items"))
      guard case .accepted(let answer, let list) = outcome else {
        Issue.record("refused: \(vector)")
        continue
      }
      #expect(list.items == (try vector.items("result")), "\(vector)")
      #expect(answer.kind == vector["kind"]?.text)
      #expect(answer.reason == vector["reason"]?.text)
      #expect(answer.more == (vector["more"] == .bool(true)))
      #expect(answer.to.root.description == vector["to"]?["root"]?.text)
      #expect(answer.to.cursor?.description == vector["to"]?["cursor"]?.text)
    }
  }

  @Test func wrongDeltasAreRefused() throws {
    for vector in try VectorFile.read("refusals") {
      let outcome = DeltaOutcome(try vector.string("document"), on: try vector.items("items"))
      guard case .refused(let reason) = outcome else {
        Issue.record("accepted: \(vector)")
        continue
      }
      #expect(reason == vector["refused"]?.text, "\(vector)")
    }
  }

  @Test func mergePatchesLeadToTheirContents() throws {
    for vector in try VectorFile.read("merges") {
      guard let document = vector["document"]?.text else {
        let old = try Content(json: vector.string("old"))
        let new = old.merging(try Content(json: vector.string("patch")))
        #expect(new.description == vector["new"]?.text, "\(vector)")
        continue
      }
      let items = try vector.items("items")
      let merged = try MergeDocument(Array(document.utf8)).completed { items[$0] }
      #expect(try merged.applied(to: Snapshot(items)).items == vector.items("result"))
    }
  }

  @Test func proofsAreAcceptedOrRefused() throws {
    for vector in try VectorFile.read("proofs") {
      let cursor = try #require(Cursor(given: vector.string("cursor")))
      if let headers = vector["headers"]?.elements {
        let states = headers.compactMap { ListState(document: $0.text ?? "") }
        #expect(states.count == headers.count, "\(vector)")
        #expect(.bool(states.compactMap(\.header).follow(cursor)) == vector["follows"], "\(vector)")
        continue
      }
      do throws(ProofError) {
        let proof = try ListProof(Array(vector["proof"]?.text?.utf8 ?? "".utf8))
        try proof.check(against: cursor)
        #expect(proof.item.id.text == vector["id"]?.text, "\(vector)")
        #expect(Double(proof.index) == vector["index"]?.number, "\(vector)")
        #expect(Double(proof.state.count) == vector["count"]?.number, "\(vector)")
        #expect(try ListProof(proof.encoded()) == proof)
      } catch {
        #expect("\(error)" == vector["refused"]?.text, "\(vector)")
      }
    }
  }

  @Test func notesAreAcceptedOrRefused() throws {
    for vector in try VectorFile.read("notes") {
      guard let key = VerifierKey(try vector.string("key")) else {
        #expect(vector["refused"]?.text == "malformed", "\(vector)")
        continue
      }
      do throws(HeadRefusal) {
        let head = try SignedHead(note: vector["note"]?.text ?? "", signedBy: key)
        guard head.list.text == vector["list"]?.text else { throw .otherList(head.list) }
        #expect(Double(head.version.number) == vector["version"]?.number, "\(vector)")
        #expect(head.root.description == vector["root"]?.text, "\(vector)")
        #expect(head.chain.description == vector["chain"]?.text, "\(vector)")
        #expect(head.successor?.description == vector["successor"]?.text, "\(vector)")
      } catch {
        #expect(error.kind == vector["refused"]?.text, "\(vector)")
      }
    }
  }

  @Test func bundlesAreReadOrRefused() throws {
    for vector in try VectorFile.read("bundles") {
      let items = try vector.items("items")
      switch BundleOutcome(try vector.string("bundle"), on: items) {
      case .accepted(let header, let versions, let list):
        #expect(list.items == (try vector.items("result")), "\(vector)")
        #expect(header.list.text == vector["list"]?.text)
        #expect(
          versions.map(\.knownCursor.description)
            == vector["versions"]?.elements?.map { $0["cursor"]?.text })
      case .refused(let line, let reason):
        #expect(reason == vector["refused"]?.text, "\(vector)")
        #expect(line.map(Double.init) == vector["line"]?.number, "\(vector)")
      }
    }
  }

  @Test func answersHaveTheirMeanings() throws {
    let since = try History.parks().states[1].knownCursor
    for vector in try VectorFile.read("answers") {
      let headers = (vector["headers"]?.members ?? [:]).compactMapValues(\.text)
      let answer = AnswerOutcome.answer(
        try vector.int("status"), headers, try vector.string("body"), since: since)
      #expect(AnswerOutcome(answer).rawValue == vector["meaning"]?.text, "\(vector)")
      #expect(answer.retryAfterSeconds == vector["retry_after"]?.number, "\(vector)")
    }
  }

  @Test func waitsAreWithinTheirBounds() throws {
    for vector in try VectorFile.read("waits") {
      for (member, random) in [("least", 0.0), ("most", 1.0)] {
        let seconds = RetryRule().seconds(
          after: try vector.int("failures"), retryAfterSeconds: vector["retry_after"]?.number,
          random: random)
        #expect(seconds == vector[member]?.number, "\(vector)")
      }
    }
  }
}

extension JSONValue {
  fileprivate func string(_ name: String) throws -> String { try #require(self[name]?.text) }

  fileprivate func int(_ name: String) throws -> Int { Int(try #require(self[name]?.number)) }

  /// Pairs of id and content.
  fileprivate func items(_ name: String) throws -> [Item] {
    try #require(self[name]?.elements).map { pair in
      let pair = try #require(pair.elements).map { try #require($0.text) }
      return Item(id: ItemID(pair[0]), content: try Content(json: pair[1]))
    }
  }

  fileprivate func changes(from oldCount: Int, _ name: String = "changes") throws -> BareChanges {
    let changes = try #require(self[name])
    func array<Change>(_ name: String, _ read: (JSONValue) throws -> Change) throws -> [Change] {
      try #require(changes[name]?.elements).map(read)
    }
    func item(_ change: JSONValue) throws -> Item {
      Item(
        id: ItemID(try change.string("id")), content: try Content(json: change.string("content")))
    }
    return BareChanges(
      oldCount: oldCount, newCount: nil,
      removed: try array("removed") {
        .init(id: ItemID(try $0.string("id")), from: try $0.int("from"))
      },
      moved: try array("moved") {
        .init(id: ItemID(try $0.string("id")), from: try $0.int("from"), to: try $0.int("to"))
      },
      inserted: try array("inserted") { .init(item: try item($0), to: try $0.int("to")) },
      updated: try array("updated") {
        .init(item: try item($0), from: try $0.int("from"), to: try $0.int("to"))
      })
  }
}
