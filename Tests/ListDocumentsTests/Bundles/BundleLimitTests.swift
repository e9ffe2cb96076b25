import ListChanges
import ListModel
import TestSupport
import Testing

@testable import ListDocuments

@Suite struct BundleLimitTests {
  /// The largest count that a document may have.
  private let largest = (1 << 53) - 1

  @Test func readerRefusesATooLongLineBeforeItsEnd() throws {
    let bundle = try BundleHistory.parks().bundle(.full)
    let longest = lines(of: bundle).map(\.utf8.count)
    let limit = try #require(longest.max())
    let line = try #require(longest.firstIndex(of: limit)) + 1
    #expect(try readBundle(bundle, lineByteLimit: limit).summary.lineCount == 4)
    for size in [1, 50, .max] {
      #expect(throws: BundleError.lineTooLong(line: line, byteLimit: limit - 1)) {
        try readBundle(bundle, by: size, lineByteLimit: limit - 1)
      }
    }
    var limits = Limits.standard
    limits[.lineBytes] = 1000
    var reader = BundleReader(limits: limits)
    #expect(try reader.read([UInt8](repeating: 0x20, count: 1000)).isEmpty)
    #expect(throws: BundleError.lineTooLong(line: 1, byteLimit: 1000)) { try reader.read([0x20]) }
  }

  @Test func writerRefusesALineAboveTheLimitOfReaders() throws {
    let history = try BundleHistory.parks()
    let events = try history.events(.full)
    let limit = try #require(lines(of: history.bundle(.full)).map(\.utf8.count).max())
    #expect(try written(events, lineByteLimit: limit).summary.lineCount == 4)
    #expect(throws: BundleError.self) { try written(events, lineByteLimit: limit - 1) }
  }

  /// The header of versions 1 to 2, with other numbers.
  private func refusal(
    _ form: BundleHistory.Form, _ part: String, _ replacement: String
  ) throws -> BundleError? {
    var lines = lines(of: try BundleHistory.parks().bundle(form, from: 1, to: 2))
    lines[0] = try lines[0].replacingOnly(part, with: replacement)
    return #expect(throws: BundleError.self) { try readBundle(sealed(lines)) }
  }

  @Test func readerRefusesHugeCountsWithoutAllocatingMemoryForThem() throws {
    let base = #""message":"Spring","count":"#
    #expect(
      try refusal(.base, base + "5", base + "\(largest)")
        == .wrongLine(line: 7, expected: .item, found: .step))
    #expect(
      try refusal(.base, base + "5", base + "99999999999999999999")
        == .malformed(
          line: 1, at: JSONPointer(tokens: ["base", "count"]), expected: "a whole number from 0"))
    #expect(
      try refusal(.base, #""version":2,"#, #""version":\#(largest),"#)
        == .malformed(
          line: 1, at: JSONPointer(tokens: ["target", "version"]),
          expected: "a whole number up to \(Version.highest)"))
    let highest = Version.highest
    #expect(
      try refusal(.base, #""version":2,"#, #""version":\#(highest),"#)
        == .malformed(
          line: 1, at: JSONPointer(tokens: ["target", "cursor"]),
          expected: "the cursor that follows from the members beside it"))
    let history = try BundleHistory.parks()
    var lines = lines(of: try history.bundle(.base, from: 1, to: 2))
    let header = BundleHeader(
      list: Parks.name, idRule: nil, start: try history.header(.base, from: 1).start,
      target: state(highest.number))
    lines[0] = String(decoding: header.line, as: UTF8.self)
    #expect(throws: BundleError.wrongLine(line: 8, expected: .step, found: .end)) {
      try readBundle(sealed(lines))
    }
  }

  @Test func stepWithAHugeOldCountIsRefused() throws {
    let history = try BundleHistory.parks()
    // Version 2 removes one park and adds one; version 1 adds five.
    for (step, counts) in [(2, [0, 4, 6, largest]), (1, [1, largest - 4, largest])] {
      for (count, endsWith) in counts.flatMap({ [($0, 5), ($0, largest)] }) {
        let (start, end) = (state(7, count: count), state(8, count: endsWith))
        let header = BundleHeader(
          list: Parks.name, idRule: nil, start: .prerequisite(start), target: end)
        let line = try lines(of: history.bundle(.full))[step]
          .replacingOnly(#""version":\#(step),"#, with: #""version":8,"#)
          .replacingOnly(#""count":5,"#, with: #""count":\#(endsWith),"#)
        let bundle = sealed([String(decoding: header.line, as: UTF8.self), line])
        let error = #expect(throws: BundleError.self, "\(count)") { try readBundle(bundle) }
        if case .changes(.invalid, line: 2) = error { continue }
        // The number of items is possible; the chain shows that it is wrong.
        #expect(count == largest && endsWith == largest && step == 2, "\(count) to \(endsWith)")
        #expect(error == .brokenChain(line: 2, version: Version(8)))
      }
    }
  }

  @Test func contradictoryHeaderIsRefused() throws {
    let whole = "a whole number from 0"
    let cases: [(BundleHistory.Form, String, String, [String], String)] = [
      (.full, #""full""#, #""whole""#, ["kind"], #""full" or "incremental""#),
      (.full, #""full""#, #""incremental""#, ["prerequisite", "root"], "a string"),
      (.base, #""full""#, #""incremental""#, ["base"], "null"),
      (.incremental, #""incremental""#, #""full""#, ["prerequisite"], "null"),
      (.full, #"["id"]"#, #"["."]"#, [], ""),
      (.full, #"["id"]"#, #"["/~"]"#, ["id_rule"], "an id rule"),
      (.full, #"["id"]"#, #"[7]"#, ["id_rule", "0"], "a string"),
      (.full, #""parks""#, #""-parks""#, ["list"], ListName.rule),
      (.base, #""Spring""#, "7", ["base", "message"], "a string"),
      (
        .base, #""committed_at":"2026-09-21"#, #""committed_at":"0000-09-21"#,
        ["base", "committed_at"],
        "a time such as 2026-11-21T11:37:00.250Z"
      ),
      (.base, #""removed":0"#, #""removed":-1"#, ["base", "changes", "removed"], whole),
    ]
    for (form, part, replacement, tokens, expected) in cases {
      var lines = lines(of: try BundleHistory.parks().bundle(form, from: form == .full ? 0 : 1))
      lines[0] = try lines[0].replacingOnly(part, with: replacement)
      if expected.isEmpty {
        _ = try readBundle(sealed(lines))
        continue
      }
      let place = JSONPointer(tokens: tokens)
      #expect(throws: BundleError.malformed(line: 1, at: place, expected: expected)) {
        try readBundle(sealed(lines))
      }
    }
  }

  @Test func impossibleStatesInAHeaderAreRefused() throws {
    let history = try BundleHistory.parks()
    let (one, two) = (history.states[1], history.states[2])
    func header(_ start: BundleStart, _ target: ListState) -> BundleHeader {
      BundleHeader(list: Parks.name, idRule: nil, start: start, target: target)
    }
    let falseZero = ListState(cursor: .zero, count: 1, root: .empty)
    let none = ChangeCounts(removed: 0, moved: 0, inserted: 0, updated: 0)
    func base(_ root: Root) throws -> BundleStart {
      .base(VersionRecord(try #require(state(1, root).header), count: 0, changes: none))
    }
    let empty = "the empty list, as version 0 is"
    let cases: [(BundleHeader, BundleError)] = [
      (
        header(.prerequisite(two), one),
        .malformed(
          line: 1, at: JSONPointer(tokens: ["target", "version"]), expected: "a version from 2")
      ),
      (
        header(.zero, falseZero),
        .malformed(line: 1, at: JSONPointer(tokens: ["target"]), expected: empty)
      ),
      (
        header(.prerequisite(falseZero), one),
        .malformed(line: 1, at: JSONPointer(tokens: ["prerequisite"]), expected: empty)
      ),
      (
        header(try base(two.root), two),
        .wrongItems(line: 1, expected: two.root, found: .empty)
      ),
      (header(try base(.empty), one), .wrongTarget(line: 1, version: Version(1))),
    ]
    for (header, error) in cases {
      #expect(throws: error) { try BundleWriter(header) }
      #expect(throws: error) {
        try readBundle(sealed([String(decoding: header.line, as: UTF8.self)]))
      }
    }
  }

  @Test func bundleOfADevelopmentVersionIsRefusedByName() throws {
    for proof in ["checksum", "root"] {
      let line = #"""
        {"format":"list-bundle/1","list":"parks","kind":"full","id_rule":null,\#
        "prerequisite":null,"base":null,"target":{"cursor":"2-85fb7b1a4c0e","version":2,\#
        "count":5,"\#(proof)":"\#(Root.empty)","chain":"\#(Chain.zero)"}}
        """#
      #expect(throws: BundleError.unreleased) { try readBundle(sealed([line])) }
    }
  }

  @Test func baseOfVersionZeroIsRefused() throws {
    let line = #"""
      {"format":"list-bundle/1","list":"parks","kind":"full","id_rule":null,"prerequisite":null,\#
      "base":{"cursor":"\#(ListState.zero.knownCursor)","version":0,"count":0,\#
      "root":"\#(Root.empty)","changes":{"removed":0,"moved":0,"inserted":0,"updated":0}},\#
      "target":{"cursor":"\#(ListState.zero.knownCursor)","version":0,"count":0,\#
      "root":"\#(Root.empty)"}}
      """#
    #expect(
      throws: BundleError.malformed(
        line: 1, at: JSONPointer(tokens: ["base"]), expected: "a version from 1")
    ) { try readBundle(sealed([line])) }
  }

  private func state(_ version: Int, count: Int = 0, _ root: Root = .empty) -> ListState {
    let note = CommitNote(time: Timestamp(millisecondsSince1970: 0))
    return ListState(
      VersionHeader(version: Version(version), note: note, root: root, previous: .zero),
      count: count)
  }

  @Test func writerRefusesEventsThatDoNotFollowTheLastOne() throws {
    let history = try BundleHistory.parks()
    var writer = try BundleWriter(history.header(.full))
    let item = try Parks.park("zion")
    #expect(throws: BundleError.wrongLine(line: 2, expected: .step, found: .item)) {
      try writer.append(.item(item))
    }
    #expect(throws: BundleError.wrongVersion(line: 2, expected: Version(1), found: Version(2))) {
      var writer = writer
      try writer.append(.step(history.steps[1]))
    }
    #expect(throws: BundleError.wrongLine(line: 2, expected: .step, found: .end)) {
      try writer.finish()
    }
    let fromFive = BundleStep(
      history.steps[0].record, changes: try Parks.old().changes(to: Parks.new()))
    #expect(
      throws: BundleError.changes(.countMismatch(expected: 5, found: 0), line: 2)
    ) {
      var writer = writer
      try writer.append(.step(fromFive))
    }
    let nothing = BundleStep(
      history.steps[0].record, changes: Snapshot.empty.changes(to: .empty))
    #expect(
      throws: BundleError.malformed(
        line: 2, at: JSONPointer(tokens: []), expected: "a step that changes something")
    ) { try writer.append(.step(nothing)) }
  }
}
