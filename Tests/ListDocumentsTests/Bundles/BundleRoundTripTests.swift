import ListModel
import TestSupport
import Testing

@testable import ListDocuments

@Suite struct BundleRoundTripTests {
  @Test func readerRestoresTheWrittenEventsForAnyChunkSize() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<200 {
      let history = try BundleHistory.random(&random)
      let last = Int.random(in: 0...history.steps.count, using: &random)
      let first = Int.random(in: 0...last, using: &random)
      for form in BundleHistory.Form.allCases where form != .base || first > 0 {
        let start = form == .full ? 0 : first
        let events = try history.events(form, from: start, to: last)
        let (bytes, summary) = try written(events)
        let size = Int.random(in: 1...bytes.count, using: &random)
        let read = try readBundle(bytes, by: size)
        #expect(read.events == events, "seed \(random.seed), round \(round), \(form), by \(size)")
        #expect(read.summary == summary)
        #expect(summary.lineCount == events.count)
      }
    }
  }

  @Test func bundleMatchesTheLayoutOfTheGrammar() throws {
    let golden = #"""
      {"format":"list-bundle/1","list":"parks","kind":"full","id_rule":["id"],\#
      "prerequisite":null,"base":null,\#
      "target":{"cursor":"2-c55b2eacc1bc93fe0fa66911c9374f1f","version":2,\#
      "committed_at":"2026-09-22T14:13:20.250Z","author":"Ben \"B\" é","message":null,"count":5,\#
      "root":"700ee30669345685378f3ddce236cb73cf556ad21020a6d01819705e93f36772",\#
      "previous":"b1ae603b135ccc358ff24c79de898b6c4dc0c5891821885dbcbef8f3b54e7563"}}
      {"cursor":"1-b1ae603b135ccc358ff24c79de898b6c","version":1,\#
      "committed_at":"2026-09-21T14:13:20Z","author":"Ann","message":"Spring",\#
      "count":5,"root":"0dea2c39d986ff1524cb9216bdd8f1a9685d288908a3545c55a81fa5181a178d",\#
      "removed":[],"moved":[],"inserted":[\#
      {"id":"yosemite","to":0,"content":{"name":"yosemite"}},\#
      {"id":"zion","to":1,"content":{"name":"zion"}},\#
      {"id":"acadia","to":2,"content":{"name":"acadia"}},\#
      {"id":"arches","to":3,"content":{"name":"arches"}},\#
      {"id":"denali","to":4,"content":{"name":"denali"}}],"updated":[]}
      {"cursor":"2-c55b2eacc1bc93fe0fa66911c9374f1f","version":2,\#
      "committed_at":"2026-09-22T14:13:20.250Z","author":"Ben \"B\" é","message":null,"count":5,\#
      "root":"700ee30669345685378f3ddce236cb73cf556ad21020a6d01819705e93f36772",\#
      "removed":[{"id":"acadia","from":2}],"moved":[{"id":"denali","from":4,"to":0}],\#
      "inserted":[{"id":"glacier","to":3,"content":{"name":"Glacier","state":"MT"}}],\#
      "updated":[{"id":"yosemite","from":0,"to":1,"content":{"name":"Yosemite","rating":5}}]}
      {"lines":3,"sha256":"27092c51195b4e63d668770fa4c48885d72fe41b2d72fd50470c39ca9dfc8a43"}
      """#
    let bytes = try BundleHistory.parks().bundle(.full, to: 2)
    #expect(String(decoding: bytes, as: UTF8.self) == golden + "\n")
  }

  @Test func theStepsOfAFullBundleReplayTheWholeHistory() throws {
    let history = try BundleHistory.parks()
    var snapshot = Snapshot.empty
    for case .step(let step) in try readBundle(history.bundle(.full)).events {
      snapshot = try snapshot.applying(
        step.changes.completed { snapshot.items[$0] })
      #expect(Root(of: snapshot) == step.record.root)
      #expect(snapshot == history.snapshots[step.record.version.number])
    }
    #expect(snapshot == history.snapshots[3])
  }

  @Test func readerReturnsAnEventAtTheEndOfItsLine() throws {
    let history = try BundleHistory.parks()
    let bytes = try history.bundle(.base, from: 1)
    let expected = try history.events(.base, from: 1)
    var reader = BundleReader()
    var count = 0
    for byte in bytes {
      let events = try reader.read([byte])
      #expect(events.isEmpty || byte == UInt8(ascii: "\n"))
      for event in events {
        #expect(event == expected[count])
        count += 1
      }
    }
    #expect(try reader.finish().lineCount == count)
  }

  @Test func bundleWithoutStepsHoldsOnlyAState() throws {
    let history = try BundleHistory.parks()
    #expect(try readBundle(history.bundle(.full, to: 0)).events.count == 1)
    #expect(try readBundle(history.bundle(.incremental, from: 2, to: 2)).events.count == 1)
    #expect(try readBundle(history.bundle(.base, from: 2, to: 2)).events.count == 6)
    #expect(try readBundle(history.bundle(.base, from: 3, to: 3)).events.count == 1)
  }

  @Test func readerIgnoresMemberOrderUnknownMembersAndAbsentNulls() throws {
    let history = try BundleHistory.parks()
    var lines = lines(of: try history.bundle(.full, to: 1))
    lines[0] = try lines[0]
      .replacingOnly(#""prerequisite":null,"base":null,"#, with: "")
      .replacingOnly(#"{"format":"list-bundle/1","#, with: "\u{FEFF} {\t")
    lines[0] = lines[0].dropLast() + #", "format": "list-bundle/1", "made-by": ["x"] }"# + "\r"
    lines[1] = try lines[1].replacingOnly(#""version":1,"#, with: "")
    lines[1] = lines[1].dropLast() + #", "version": 1e0}"#
    #expect(try readBundle(sealed(lines)).events == history.events(.full, to: 1))
  }

  @Test func depthLimitOfContentsEqualsThatOfSnapshotFiles() throws {
    func deep(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    var history = BundleHistory()
    let item = Item(id: "deep", content: try Content(json: deep(Limit.depth.standard)))
    history.commit(try Snapshot([item]), CommitNote(time: Timestamp(millisecondsSince1970: 0)))
    for form in [BundleHistory.Form.full, .base] {
      let first = form == .full ? 0 : 1
      let bundle = try history.bundle(form, from: first)
      #expect(try readBundle(bundle).events == history.events(form, from: first))
      let deeper = try lines(of: bundle).map {
        $0.contains(":[[[") ? try $0.replacingOnly(":[[[", with: ":[[[[") : $0
      }
      let error = #expect(throws: BundleError.self) { try readBundle(sealed(deeper)) }
      guard case .json(let json, let position) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(json.reason == .limit(ExceededLimit(.depth, bound: 512)))
      #expect(position.line == 2)
    }
  }
}
