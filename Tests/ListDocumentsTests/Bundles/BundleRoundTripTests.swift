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
      "target":{"cursor":"2-1d4f7f5ebf27","version":2,"count":5,\#
      "checksum":"182277aacab6234c953dd36c11deb84b",\#
      "chain":"1d4f7f5ebf27d9331c0fd1224a02284763ae384b06cab28b4f09effb55614ecd"}}
      {"version":1,"committed_at":"2026-09-21T14:13:20Z","author":"Ann","message":"Spring",\#
      "count":5,"checksum":"56572cc298f12dfa77c384bedc8b67cc",\#
      "chain":"db7853f96564b1aaa8bf8988dfc79254a8bff14b1e53069166f58a1266a15b21",\#
      "removed":[],"moved":[],"inserted":[\#
      {"id":"yosemite","to":0,"content":{"name":"yosemite"}},\#
      {"id":"zion","to":1,"content":{"name":"zion"}},\#
      {"id":"acadia","to":2,"content":{"name":"acadia"}},\#
      {"id":"arches","to":3,"content":{"name":"arches"}},\#
      {"id":"denali","to":4,"content":{"name":"denali"}}],"updated":[]}
      {"version":2,"committed_at":"2026-09-22T14:13:20.250Z","author":"Ben \"B\" é",\#
      "message":null,"count":5,"checksum":"182277aacab6234c953dd36c11deb84b",\#
      "chain":"1d4f7f5ebf27d9331c0fd1224a02284763ae384b06cab28b4f09effb55614ecd",\#
      "removed":[{"id":"acadia","from":2}],"moved":[{"id":"denali","from":4,"to":0}],\#
      "inserted":[{"id":"glacier","to":3,"content":{"name":"Glacier","state":"MT"}}],\#
      "updated":[{"id":"yosemite","from":0,"to":1,"content":{"name":"Yosemite","rating":5}}]}
      {"lines":3,"sha256":"cd836f1697699076749762111a8024ebd3420342356ad439df1e553391f48451"}
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
      #expect(Checksum(of: snapshot) == step.record.checksum)
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
