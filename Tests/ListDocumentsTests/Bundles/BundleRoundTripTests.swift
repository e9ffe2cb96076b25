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
      for form in BundleHistory.Form.allCases where form != .base || first > 1 {
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
      {"format":"list-bundle/1","kind":"full","list":"parks","id_rule":["id"],\#
      "from":{"cursor":"0-00000000000000000000000000000000","version":0,"count":0,\#
      "root":"a536aa3cede6ea3c1f3e0357c3c60e0f216a8c89b853df13b29daa8f85065dfb"},\#
      "to":{"cursor":"2-c55b2eacc1bc93fe0fa66911c9374f1f","version":2,\#
      "committed_at":"2026-09-22T14:13:20.250Z","author":"Ben \"B\" é","message":null,"count":5,\#
      "root":"700ee30669345685378f3ddce236cb73cf556ad21020a6d01819705e93f36772",\#
      "previous":"b1ae603b135ccc358ff24c79de898b6c4dc0c5891821885dbcbef8f3b54e7563"}}
      {"format":"list-delta/1","kind":"changes","list":"parks",\#
      "from":{"cursor":"0-00000000000000000000000000000000","version":0,"count":0,\#
      "root":"a536aa3cede6ea3c1f3e0357c3c60e0f216a8c89b853df13b29daa8f85065dfb"},\#
      "to":{"cursor":"1-b1ae603b135ccc358ff24c79de898b6c","version":1,\#
      "committed_at":"2026-09-21T14:13:20Z","author":"Ann","message":"Spring","count":5,\#
      "root":"0dea2c39d986ff1524cb9216bdd8f1a9685d288908a3545c55a81fa5181a178d",\#
      "previous":"0000000000000000000000000000000000000000000000000000000000000000"},\#
      "more":false,"removed":[],"moved":[],"inserted":[\#
      {"id":"yosemite","to":0,"content":{"name":"yosemite"}},\#
      {"id":"zion","to":1,"content":{"name":"zion"}},\#
      {"id":"acadia","to":2,"content":{"name":"acadia"}},\#
      {"id":"arches","to":3,"content":{"name":"arches"}},\#
      {"id":"denali","to":4,"content":{"name":"denali"}}],"updated":[]}
      {"format":"list-delta/1","kind":"changes","list":"parks",\#
      "from":{"cursor":"1-b1ae603b135ccc358ff24c79de898b6c","version":1,"count":5,\#
      "root":"0dea2c39d986ff1524cb9216bdd8f1a9685d288908a3545c55a81fa5181a178d"},\#
      "to":{"cursor":"2-c55b2eacc1bc93fe0fa66911c9374f1f","version":2,\#
      "committed_at":"2026-09-22T14:13:20.250Z","author":"Ben \"B\" é","message":null,"count":5,\#
      "root":"700ee30669345685378f3ddce236cb73cf556ad21020a6d01819705e93f36772",\#
      "previous":"b1ae603b135ccc358ff24c79de898b6c4dc0c5891821885dbcbef8f3b54e7563"},\#
      "more":false,"removed":[{"id":"acadia","from":2}],"moved":[{"id":"denali","from":4,"to":0}],\#
      "inserted":[{"id":"glacier","to":3,"content":{"name":"Glacier","state":"MT"}}],\#
      "updated":[{"id":"yosemite","from":0,"to":1,"content":{"name":"Yosemite","rating":5}}]}
      {"lines":3,"sha256":"2d1643a9f6978dd301a11c34893fce00d5df6d36ad01e896f3b36e8b75204182"}
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
      #expect(Root(of: snapshot) == step.to.root)
      #expect(snapshot == history.snapshots[step.to.version.number])
    }
    #expect(snapshot == history.snapshots[3])
  }

  @Test func readerReturnsAnEventAtTheEndOfItsLine() throws {
    let history = try BundleHistory.parks()
    let bytes = try history.bundle(.base, from: 2)
    let expected = try history.events(.base, from: 2)
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
      .replacingOnly(#""version":0,"#, with: #""version": 0e7,"#)
      .replacingOnly(#"{"format":"list-bundle/1","#, with: "\u{FEFF} {\t")
    lines[0] = lines[0].dropLast() + #", "format": "list-bundle/1", "made-by": ["x"] }"# + "\r"
    lines[1] = try lines[1].replacingOnly(#""list":"parks","#, with: "")
    lines[1] = lines[1].dropLast() + #", "list": "parks", "made-by": []}"#
    #expect(try readBundle(sealed(lines)).events == history.events(.full, to: 1))
  }

  @Test func depthLimitOfContentsEqualsThatOfSnapshotFiles() throws {
    func deep(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    var history = BundleHistory()
    let item = Item(id: "deep", content: try Content(json: deep(Limit.depth.standard)))
    let note = CommitNote(time: Timestamp(millisecondsSince1970: 0))
    history.commit(try Snapshot([item]), note)
    history.commit(try Snapshot([item, Parks.park("zion")]), note)
    for form in [BundleHistory.Form.full, .base] {
      let first = form == .full ? 0 : 2
      let bundle = try history.bundle(form, from: first)
      #expect(try readBundle(bundle).events == history.events(form, from: first))
      let deeper = try lines(of: bundle).map {
        $0.contains(":[[[") ? try $0.replacingOnly(":[[[", with: ":[[[[") : $0
      }
      let error = #expect(throws: BundleError.self) { try readBundle(sealed(deeper)) }
      guard case .document(.json(let json, let position), _) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(json.reason == .limit(ExceededLimit(.depth, bound: 512)))
      #expect(position.line == 2)
    }
  }
}
