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

  /// The header of versions 2 to 3, with other numbers.
  private func refusal(
    _ form: BundleHistory.Form, _ part: String, _ replacement: String
  ) throws -> BundleError? {
    var lines = lines(of: try BundleHistory.parks().bundle(form, from: 2))
    lines[0] = try lines[0].replacingOnly(part, with: replacement)
    return #expect(throws: BundleError.self) { try readBundle(sealed(lines)) }
  }

  @Test func readerRefusesHugeCountsWithoutAllocatingMemoryForThem() throws {
    let base = #""message":null,"count":"#
    #expect(
      try refusal(.base, base + "5", base + "\(largest)")
        == .malformed(line: 7, at: ["content"], expected: "a JSON value"))
    #expect(
      try refusal(.base, base + "5", base + "99999999999999999999")
        == .malformed(line: 1, at: ["from", "count"], expected: "a whole number from 0"))
    #expect(
      try refusal(.base, #""version":3,"#, #""version":\#(largest),"#)
        == .malformed(
          line: 1, at: ["to", "version"], expected: "a whole number up to \(Version.highest)"))
    let highest = Version.highest
    #expect(
      try refusal(.base, #""version":3,"#, #""version":\#(highest),"#)
        == .malformed(
          line: 1, at: ["to", "cursor"],
          expected: "the cursor that follows from the members beside it"))
    let history = try BundleHistory.parks()
    var lines = lines(of: try history.bundle(.base, from: 2))
    let header = BundleHeader(
      list: Parks.name, idRule: nil, start: try history.header(.base, from: 2).start,
      target: state(highest.number))
    lines[0] = line(of: header)
    #expect(
      throws: BundleError.malformed(line: 8, at: ["format"], expected: "a string")
    ) { try readBundle(sealed(lines)) }
  }

  @Test func contradictoryHeaderIsRefused() throws {
    let whole = "a whole number from 0"
    let cases: [(BundleHistory.Form, String, String, [String], String)] = [
      (.full, #""full""#, #""whole""#, ["kind"], #""full" or "incremental""#),
      (.incremental, #""incremental""#, #""full""#, ["changes", "removed"], whole),
      (.full, #"["id"]"#, #"["."]"#, [], ""),
      (.full, #"["id"]"#, #"["/~"]"#, ["id_rule"], "an id rule"),
      (.full, #"["id"]"#, #"[7]"#, ["id_rule", "0"], "a string"),
      (.full, #""parks""#, #""-parks""#, ["list"], ListName.rule),
      (.base, "null,\"message\":\"Closed", "7,\"message\":\"Closed", ["to", "author"], "a string"),
      (
        .base, #""committed_at":"2026-09-22"#, #""committed_at":"0000-09-22"#,
        ["from", "committed_at"],
        "a time such as 2026-11-21T11:37:00.250Z"
      ),
      (.base, #""removed":1"#, #""removed":-1"#, ["changes", "removed"], whole),
    ]
    for (form, part, replacement, tokens, expected) in cases {
      var lines = lines(of: try BundleHistory.parks().bundle(form, from: form == .full ? 0 : 2))
      lines[0] = try lines[0].replacingOnly(part, with: replacement)
      if expected.isEmpty {
        _ = try readBundle(sealed(lines))
        continue
      }
      #expect(throws: BundleError.malformed(line: 1, at: tokens, expected: expected)) {
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
    let none = ChangeCounts(removed: 0, moved: 0, inserted: 0, updated: 0)
    func base(_ version: Int, _ root: Root) throws -> BundleStart {
      .base(VersionRecord(try #require(state(version, root).header), count: 0, changes: none))
    }
    let cases: [(BundleHeader, BundleError)] = [
      (
        header(.prerequisite(two), one),
        .malformed(line: 1, at: ["to", "version"], expected: "a version from 2")
      ),
      (
        header(try base(2, two.root), two),
        .document(.wrongResult(expected: two.root, found: .empty), line: 1)
      ),
      (header(try base(2, .empty), two), .wrongTarget(line: 1, version: Version(2))),
      (
        header(try base(1, .empty), two),
        .malformed(line: 1, at: ["from", "version"], expected: "0, or a version from 2")
      ),
    ]
    for (header, error) in cases {
      #expect(throws: error) { try BundleWriter(header) }
      #expect(throws: error) { try readBundle(sealed([line(of: header)])) }
    }
  }

  @Test func falseStateOfVersionZeroIsRefused() throws {
    let lines = lines(of: try BundleHistory.parks().bundle(.full))
    let zero = #""version":0,"count":"#
    let header = try lines[0].replacingOnly(zero + "0", with: zero + "1")
    #expect(
      throws: BundleError.malformed(
        line: 1, at: ["from"], expected: "the empty list, as version 0 is")
    ) { try readBundle(sealed([header] + lines.dropFirst())) }
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
    #expect(throws: BundleError.wrongLine(line: 2, expected: .step)) {
      try writer.append(.item(item))
    }
    #expect(throws: BundleError.brokenChain(line: 2, after: .zero)) {
      var writer = writer
      try writer.append(.step(history.steps[1]))
    }
    #expect(throws: BundleError.wrongLine(line: 2, expected: .step)) {
      try writer.finish()
    }
    let nothing = DeltaDocument(
      list: Parks.name, from: .zero, to: history.states[1], oldest: nil,
      changes: BareChanges(Snapshot.empty.changes(to: .empty)))
    #expect(
      throws: BundleError.malformed(line: 2, at: [], expected: "a step that changes something")
    ) { try writer.append(.step(nothing)) }
  }
}
