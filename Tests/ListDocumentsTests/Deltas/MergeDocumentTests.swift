import Foundation
import ListChanges
import ListModel
import TestSupport
import Testing

@testable import ListDocuments

@Suite struct MergeDocumentTests {
  private static func delta(_ old: Snapshot, _ new: Snapshot) -> Delta {
    Delta(
      list: ListName("parks"), from: ListState(of: old), to: ListState(of: new), oldest: nil,
      changes: old.changes(to: new))
  }

  private func read(_ text: String, limits: Limits = .standard) throws(DeltaError) -> MergeDocument
  {
    try MergeDocument(Array(text.utf8), limits: limits)
  }

  @Test func updatedItemsHaveOnlyTheChangedMembers() throws {
    let item = { (json: String) in
      try Item(id: "zion", content: Content(json: json))
    }
    let old = try Snapshot([item(#"{"id":"zion","name":"Zion","rating":4}"#)])
    let new = try Snapshot([item(#"{"id":"zion","name":"Zion","rating":5}"#)])
    let lines = String(decoding: Rendering.merge.encode(Self.delta(old, new)), as: UTF8.self)
      .split(separator: "\n")
    #expect(
      lines[0] == #"{"format":"list-rendering/1","rendering":"merge","list":"parks","#)
    #expect(lines.last == #"{"id":"zion","from":0,"to":0,"merge":{"rating":5}}]}"#)
    let none = try Snapshot([item(#"{"id":"zion","name":"Zion","rating":null}"#)])
    let whole = String(decoding: Rendering.merge.encode(Self.delta(old, none)), as: UTF8.self)
    #expect(whole.contains(#""content":{"id":"zion","name":"Zion","rating":null}"#))
  }

  @Test func documentBecomesTheDeltaDocumentWithTheOldList() throws {
    var random = SeededRandom.forThisRun()
    var (patches, contents) = (0, 0)
    for round in 0..<400 {
      let old = try random.snapshot(upTo: [4, 40][round % 2])
      let new = try random.edited(old, pool: 40)
      let delta = Self.delta(old, new)
      let document = try MergeDocument(MergeDocument(delta).encoded())
      #expect(document == MergeDocument(delta), "seed \(random.seed)")
      let completed = try document.completed { old.items[$0] }
      #expect(completed == DeltaDocument(delta), "seed \(random.seed)")
      var list = DeltaReplay(old)
      try list.apply(.merged(document))
      #expect(list.snapshot == new && list.root == delta.to.root, "seed \(random.seed)")
      for update in document.changes.updated {
        if case .patch = update.value { patches += 1 } else { contents += 1 }
      }
    }
    #expect(patches > 20 && contents > 4, "\(patches) patches, \(contents) contents")
  }

  /// Two lists of a park, whose rating changes.
  private static func rated() throws -> (old: Snapshot, new: Snapshot) {
    let lists = try [4, 5].map { rating in
      try Snapshot([
        Parks.park("yosemite", #"{"name":"Yosemite","rating":\#(rating),"state":"CA"}"#)
      ])
    }
    return (lists[0], lists[1])
  }

  @Test func otherStartIsRefusedAndTheListStays() throws {
    let (old, new) = (try Parks.old(), try Parks.new())
    let document = MergeDocument(Self.delta(old, new))
    var list = DeltaReplay(new)
    #expect(
      throws: DeltaError.notTheStart(expected: Root(of: old), found: Root(of: new))
    ) { try list.apply(.merged(document)) }
    #expect(list.snapshot == new)
  }

  @Test func changedPatchIsNotTheResult() throws {
    let (old, new) = try Self.rated()
    let text = String(decoding: MergeDocument(Self.delta(old, new)).encoded(), as: UTF8.self)
    let wrong = text.replacingOccurrences(of: "\"rating\":5", with: "\"rating\":6")
    #expect(wrong != text)
    var list = DeltaReplay(old)
    let error = #expect(throws: DeltaError.self) { try list.apply(.merged(try read(wrong))) }
    guard case .wrongResult = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: [
    (#""rendering":"merge""#, #""rendering":"batch""#, "/rendering is not \"merge\""),
    (#""merge":{"#, #""content":1,"merge":{"#, "/updated/0/content is not absent beside"),
    (#""merge":{"#, #""patch":{"#, "/updated/0/content is not a JSON value"),
    (#""updated""#, #""changed""#, "/updated is not an array"),
    (#""format":"list-rendering/1""#, #""format":"list-delta/1""#, "/format is not"),
  ])
  func malformedDocumentIsRefusedWithThePlace(part: String, other: String, words: String) throws {
    let (old, new) = try Self.rated()
    let text = String(decoding: MergeDocument(Self.delta(old, new)).encoded(), as: UTF8.self)
    let wrong = text.replacingOccurrences(of: part, with: other)
    #expect(wrong != text)
    let error = try #require(throws: DeltaError.self) { try read(wrong) }
    #expect("\(error)".contains(words), "\(error)")
  }

  @Test func mergedContentKeepsTheLimits() throws {
    let (old, new) = try Self.rated()
    let document = MergeDocument(Self.delta(old, new))
    var limits = Limits.standard
    limits[.itemBytes] = 40
    let error = try #require(throws: DeltaError.self) {
      try document.completed(limits: limits) { old.items[$0] }
    }
    #expect(error.exceeded?.limit == .itemBytes)
    #expect("\(error)".hasPrefix("/updated/0/merge: "))
  }
}

/// The table of Documentation/Performance.md.
@Suite(.enabled(if: RealList.areThere, Comment(rawValue: RealList.skipNote)))
struct MergeSizeTests {
  @Test(arguments: RealList.several)
  func mergeIsNeverLongerOnTheRealLists(list: RealList) async throws {
    let (spec, truth) = (try list.spec(), try list.shareOfTruth())
    var options = SnapshotOptions(
      format: SnapshotOptions.Format(rawValue: spec.format), idRule: try IDRule(spec.id))
    options.duplicates = .keepFirst
    let sizes = try await list.withVersions { folder in
      var sizes = (steps: 0, updates: 0, whole: 0, merge: 0)
      var old: Snapshot?
      for version in truth.versions {
        let bytes = try Array(Data(contentsOf: folder.appendingPathComponent(version.file)))
        let new = try SnapshotReader(options: options).read(bytes).snapshot
        defer { old = new }
        guard let old else { continue }
        let delta = Delta(
          list: nil, from: ListState(of: old), to: ListState(of: new), oldest: nil,
          changes: old.changes(to: new))
        let (whole, merge) = (DeltaDocument(delta).encoded(), Rendering.merge.encode(delta))
        sizes.steps += 1
        sizes.updates += delta.changes.updated.count
        sizes.whole += whole.count
        sizes.merge += merge.count
        #expect(
          try MergeDocument(merge).completed { old.items[$0] } == DeltaDocument(whole),
          "\(list) \(version.version)")
      }
      return sizes
    }
    print(
      "| \(list) | \(sizes.steps) | \(sizes.updates) | \(sizes.whole) | \(sizes.merge) |",
      String(format: "%.2f |", Double(sizes.merge) / Double(sizes.whole)))
    // Only the head of a document is longer, by its names.
    #expect(sizes.merge <= sizes.whole + 32 * sizes.steps)
  }
}
