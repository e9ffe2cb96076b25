import Foundation
import ListDocuments
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Texts are stored unchanged, byte by byte, since hashes cover their bytes.
@Suite(.serialized) struct ExactTextTests {
  static let texts = [
    "", " ", "before\u{0}after", "\u{0}", "\u{0}\u{0}x", "e\u{301}", "\u{E9}", "tab\tand\nline\r",
    "\u{1}\u{1B}[31m\u{7F}\u{85}", "\u{202E}\u{2066}\u{200B}\u{FEFF}", "\u{1F}", "😀\u{10FFFF}",
    String(repeating: "é\u{0}", count: 100_000), "a" + String(repeating: "\u{301}", count: 10_000),
  ]

  /// Equal byte by byte: Swift's own equality is canonical equivalence.
  private func isSame(_ a: String?, _ b: String?) -> Bool {
    a.map { Array($0.utf8) } == b.map { Array($0.utf8) }
  }

  @Test(arguments: texts.indices)
  func commitKeepsAuthorAndMessageByteForByte(index: Int) async throws {
    let (text, test) = (Self.texts[index], try TestStore())
    var request = CommitRequest(list: .parks, snapshot: try .of("a"))
    request.author = text
    request.message = text + text
    _ = try await test.service.commit(request)
    var edit = CommitRequest(list: .parks, edits: [.remove("a")])
    (edit.author, edit.message) = (text, text)
    _ = try await test.service.commit(edit)
    let log = try await test.service.log(of: .parks)
    #expect(log.allSatisfy { isSame($0.note.author, text) })
    #expect(isSame(log[0].note.message, text) && isSame(log[1].note.message, text + text))
    #expect(try await test.service.verify(depth: .everything).faults == [])
    let history = try await test.service.history(of: "a", in: .parks)
    #expect(history.allSatisfy { isSame($0.record.note.author, text) })
  }

  /// A bundle with any text in it, sealed by any program, never damages a list.
  @Test(arguments: texts.indices)
  func bundleKeepsAuthorAndMessageByteForByte(index: Int) async throws {
    let (text, copy) = (Self.texts[index], try TestStore())
    let note = CommitNote(time: TestStore.noon, author: text, message: text)
    let (old, new) = (Snapshot.empty, try Snapshot.of("a", "b"))
    let step = old.changes(to: new)
    let root = Root(of: new)
    let record = VersionRecord(
      version: Version(1), note: note, count: 2, changes: ChangeCounts(step), root: root,
      previous: .zero)
    var writer = try BundleWriter(
      BundleHeader(list: .parks, idRule: nil, start: .zero, target: record.state))
    let delta = Delta(list: .parks, from: .zero, to: record.state, oldest: nil, changes: step)
    try writer.append(.step(DeltaDocument(delta)))
    _ = try writer.finish()
    var reader = BundleReader()
    let parts = Array(try reader.read(writer.takeBytes()).dropFirst())
    _ = try reader.finish()
    try await copy.apply(
      TestRange(
        range: BundleHeader(
          list: .parks, idRule: nil, start: .zero, target: record.state), parts: parts))
    #expect(try await copy.service.verify(depth: .everything).faults == [])
    let found = try #require(try await copy.service.log(of: .parks).first)
    #expect(isSame(found.note.author, text) && isSame(found.note.message, text))
    #expect(try await copy.export().range.target == record.state)
  }

  @Test(arguments: texts.indices)
  func pruningAuthorAndImportPositionAreKeptByteForByte(index: Int) async throws {
    let (text, test) = (Self.texts[index], try TestStore())
    for number in 0..<3 { try await test.commit(["a=\(number)"]) }
    var prune = PruneRequest(
      list: .parks, rule: try #require(RetentionRule(keepLast: 1, keepWithin: nil)))
    prune.author = text
    _ = try await test.service.prune(prune)
    #expect(isSame(try await test.service.prunes(of: .parks).first?.author, text))
    var request = ImportRequest(list: .parks, source: "source " + text)
    request.goesOnFromVersions = true
    request.idRule = text
    _ = try await test.service.importStates(request, from: Reached(position: text))
    #expect(
      isSame(try await test.service.importPosition(of: request.source, in: .parks), text))
    #expect(isSame(try await test.service.idRule(of: .parks), text))
    #expect(try await test.service.verify(depth: .everything).faults == [])
  }

  private struct Reached: ImportSource {
    var position: String?

    mutating func next() -> ImportedState? {
      defer { position = nil }
      return position.map { ImportedState(position: $0, content: .unchanged) }
    }
  }

  /// Ids and contents of a snapshot.
  @Test(arguments: texts.indices)
  func snapshotKeepsIDsAndContentsByteForByte(index: Int) async throws {
    let (text, test) = (Self.texts[index], try TestStore())
    guard !text.isEmpty, text.utf8.count <= 1 << 20 else { return }
    let document = try JSONEncoder().encode([text])
    let content = try Content(json: String(decoding: document, as: UTF8.self))
    let id = ItemID(text)
    let service = SyncService(
      store: test.store, limits: .none, now: { TestStore.noon })
    _ = try await service.commit(
      .init(list: .parks, snapshot: Snapshot([Item(id: id, content: content)])))
    let items = try await service.snapshot(of: .parks).snapshot.items
    #expect(items == [Item(id: id, content: content)])
    _ = try await service.commit(.init(list: .parks, edits: [.remove(id)]))
    #expect(try await service.verify(depth: .everything).faults == [])
  }
}
