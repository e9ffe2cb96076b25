import ListChanges
import ListModel
import TestSupport
import Testing

@testable import ListDocuments

@Suite struct BundleRefusalTests {
  private static func small() throws -> [[UInt8]] {
    let history = try BundleHistory.parks()
    return [
      try history.bundle(.full, to: 1), try history.bundle(.base, from: 2, to: 2),
      try history.bundle(.incremental, from: 1, to: 2),
    ]
  }

  @Test func everyPrefixOfABundleIsRefusedAsCutOff() throws {
    for bundle in try Self.small() {
      for byteCount in 0..<bundle.count {
        let error = #expect(throws: BundleError.self, "\(byteCount)") {
          try readBundle(Array(bundle.prefix(byteCount)), by: 100)
        }
        guard case .cutOff(let line, _) = error else {
          Issue.record("\(byteCount): \(String(describing: error))")
          continue
        }
        #expect(line == 1 + bundle.prefix(byteCount).count { $0 == UInt8(ascii: "\n") })
      }
    }
    let history = try BundleHistory.parks()
    let bundle = try history.bundle(.full)
    #expect(throws: BundleError.cutOff(line: 1, expected: .header)) { try readBundle([]) }
    #expect(throws: BundleError.cutOff(line: 5, expected: .end)) {
      try readBundle(bundle.dropLast())
    }
  }

  @Test func everyChangedByteIsRefused() throws {
    for bundle in try Self.small() {
      for index in bundle.indices {
        // Another letter, and the same letter in the other case.
        for mask in [UInt8(1), 0x20] {
          var changed = bundle
          changed[index] ^= mask
          #expect(throws: BundleError.self, "byte \(index) ^ \(mask)") { try readBundle(changed) }
        }
      }
    }
  }

  @Test func digestDetectsAChangeThatNoOtherCheckDetects() throws {
    var bytes = try BundleHistory.parks().bundle(.full)
    let text = String(decoding: bytes, as: UTF8.self)
    bytes = Array(try text.replacingOnly(#""id_rule":["id"]"#, with: #""id_rule":["ID"]"#).utf8)
    let error = #expect(throws: BundleError.self) { try readBundle(bytes) }
    guard case .wrongEnd(line: 5, let expected) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!text.contains(expected) && expected.hasPrefix(#"{"lines":4,"sha256":""#))
  }

  @Test func bytesAfterTheLastLineAreRefused() throws {
    let bundle = try BundleHistory.parks().bundle(.full)
    for rest in [bundle, [UInt8(ascii: "\n")], [0]] {
      for size in [1, .max] {
        #expect(throws: BundleError.trailingBytes(line: 6)) {
          try readBundle(bundle + rest, by: size)
        }
      }
    }
  }

  @Test func everyCallAfterAnErrorThrowsItAgain() throws {
    let bundle = try BundleHistory.parks().bundle(.full)
    var reader = BundleReader()
    let error = try #require(
      #expect(throws: BundleError.self) { try reader.read(Array("{}\n".utf8)) })
    #expect(throws: error) { try reader.read(bundle) }
    #expect(throws: error) { try reader.finish() }
  }

  private static func wrong(_ line: Int, _ path: String, _ expected: String) -> BundleError {
    .malformed(line: line, at: [path], expected: expected)
  }

  private static let noHeader = #""list-bundle/1""#
  private static let noStep = #""list-delta/1""#
  private static let absent = "a string"

  /// Changed lines of the bundle of versions 2 (with its five items) to 4, sealed again.
  private static let disorders: [(of: [Int], error: BundleError)] = [
    ([1, 0, 2, 3, 4, 5, 6, 7], wrong(1, "format", absent)),
    ([6, 0], wrong(1, "format", noHeader)),
    ([], wrong(1, "format", absent)),
    ([0, 0, 1, 2, 3, 4, 5, 6, 7], wrong(2, "content", "a JSON value")),
    ([0, 1, 2, 3, 4, 6, 5, 7], wrong(6, "content", "a JSON value")),
    ([0, 1, 2, 3, 4, 5, 5, 6, 7], wrong(7, "format", absent)),
    ([0, 1, 2, 3, 4, 5, 0, 6, 7], wrong(7, "format", noStep)),
    ([0, 1, 2, 3, 4, 5, 7, 6], .brokenChain(line: 7, after: Version(2))),
    ([0, 1, 2, 3, 4, 5, 6, 6], .brokenChain(line: 8, after: Version(3))),
    ([0, 1, 2, 3, 4, 5, 6], wrong(8, "format", absent)),
    ([0, 1, 2, 3], wrong(5, "content", "a JSON value")),
  ]

  @Test(arguments: disorders)
  func linesInTheWrongOrderAreRefused(of order: [Int], error: BundleError) throws {
    var history = try BundleHistory.parks()
    history.commit(try Parks.old(), CommitNote(time: Timestamp(millisecondsSince1970: 0)))
    let lines = lines(of: try history.bundle(.base, from: 2))
    #expect(throws: error) { try readBundle(sealed(order.map { lines[$0] })) }
  }

  @Test(arguments: [7, 0])
  func anotherLineInThePlaceOfTheLastIsRefused(_ other: Int) throws {
    var history = try BundleHistory.parks()
    history.commit(try Parks.old(), CommitNote(time: Timestamp(millisecondsSince1970: 0)))
    let whole = try history.bundle(.base, from: 2)
    let lines = lines(of: whole)
    let end = try #require(String(decoding: whole, as: UTF8.self).split(separator: "\n").last)
    #expect(throws: BundleError.wrongEnd(line: 9, expected: String(end))) {
      try readBundle(sealed(lines + [lines[other]]))
    }
  }

  /// Each member of a step that must agree with the state before it. The header stays sound.
  @Test func stepFromAnotherStateIsRefused() throws {
    let history = try BundleHistory.parks()
    let (first, second) = (history.states[1], history.states[2])
    let header = try #require(second.header)
    let others = [
      history.states[3], ListState(cursor: first.cursor, count: 4, root: first.root),
      ListState(cursor: first.cursor, count: 5, root: second.root),
      ListState(cursor: nil, count: 5, root: first.root),
    ].map { ($0, second) }
    let ends = [
      VersionHeader(
        version: Version(3), note: header.note, root: second.root, previous: header.previous),
      VersionHeader(version: Version(2), note: header.note, root: second.root, previous: .zero),
    ].map { (first, ListState($0, count: 5)) }
    for (from, to) in others + ends {
      let step = DeltaDocument(
        list: nil, from: from, to: to, oldest: nil, changes: history.steps[1].changes)
      var lines = lines(of: try history.bundle(.incremental, from: 1))
      lines[1] = String(decoding: step.encoded(.line).dropLast(), as: UTF8.self)
      #expect(throws: BundleError.brokenChain(line: 2, after: Version(1)), "\(from) \(to)") {
        try readBundle(sealed(lines))
      }
    }
  }

  @Test func baseItemsInTheWrongOrderAreRefused() throws {
    let history = try BundleHistory.parks()
    var lines = lines(of: try history.bundle(.base, from: 2))
    lines.swapAt(2, 3)
    let error = #expect(throws: BundleError.self) { try readBundle(sealed(lines)) }
    guard case .document(.wrongResult(let expected, _), line: 6) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(expected == history.states[2].root)
  }

  @Test func everyForgedHeaderBreaksTheChain() throws {
    let follows = "the cursor that follows from the members beside it"
    let history = try BundleHistory.parks()
    for (part, forged) in [
      (".250Z", ".251Z"), ("Ben", "Bob"), (#""message":null"#, #""message":"""#),
    ] {
      var lines = lines(of: try history.bundle(.incremental, from: 1))
      lines[1] = try lines[1].replacingOnly(part, with: forged)
      #expect(
        throws: BundleError.malformed(line: 2, at: ["to", "cursor"], expected: follows), "\(part)"
      ) {
        try readBundle(sealed(lines))
      }
    }
  }

  @Test func theLastStepMustLeadToTheTarget() throws {
    let history = try BundleHistory.parks()
    let lied = ListState(
      VersionHeader(
        version: Version(2), note: history.records[1].note, root: history.states[3].root,
        previous: history.records[0].chain), count: history.states[2].count)
    let header = BundleHeader(list: Parks.name, idRule: nil, start: .zero, target: lied)
    let lines = lines(of: try history.bundle(.full, to: 2)).dropFirst()
    let bundle = sealed([line(of: header)] + lines)
    #expect(throws: BundleError.wrongTarget(line: 3, version: Version(2))) {
      try readBundle(bundle)
    }
  }

  @Test func lastLineIsAcceptedInItsExactSpellingOnly() throws {
    let text = String(decoding: try BundleHistory.parks().bundle(.full), as: UTF8.self)
    let end = try #require(text.split(separator: "\n").last)
    for spelling in [
      #"{"lines": 4,"#, #"{"Lines":0,"lines":4,"#, #"{"lines":5,"#, #"{"lines":1e99,"#,
    ] {
      let changed = try text.replacingOnly(#"{"lines":4,"#, with: spelling)
      #expect(throws: BundleError.wrongEnd(line: 5, expected: String(end))) {
        try readBundle(Array(changed.utf8))
      }
    }
  }

  @Test func wrongLineKindsAndInvalidJSONAreReportedWithTheirPosition() throws {
    let lines = lines(of: try BundleHistory.parks().bundle(.full))
    #expect(throws: BundleError.malformed(line: 2, at: ["format"], expected: "a string")) {
      try readBundle(sealed([lines[0], "[1]", lines[1]]))
    }
    let delta = Array(#"{"format":"list-delta/1","kind":"changes"}"#.utf8) + [UInt8(ascii: "\n")]
    #expect(
      throws: BundleError.malformed(line: 1, at: ["format"], expected: #""list-bundle/1""#)
    ) { try readBundle(delta) }
    let error = #expect(throws: BundleError.self) {
      try readBundle(sealed([lines[0], #"{"é":"#, lines[1]]))
    }
    #expect(
      error?.description
        == "line 2, column 6: not JSON: the input ends where a JSON value is expected: "
        + "it was cut off")
    guard case .document(.json(_, let position), _) = error else { return }
    #expect(position.offset == lines[0].utf8.count + 1 + 6)
  }

  @Test func numbersAboveTheLimitsOfAStoreAreRefused() throws {
    let bundle = String(decoding: try BundleHistory.parks().bundle(.base, from: 2), as: UTF8.self)
    let lines = bundle.split(separator: "\n").map(String.init)
    for (member, limit) in [
      (#""version":2"#, Version.highest.number), (#""removed":1"#, Limit.items.highest),
      (#""moved":1"#, Limit.items.highest), (#""updated":1"#, Limit.items.highest),
    ] {
      let name = member.prefix { $0 != ":" }
      for number in [limit + 1, .max] {
        let header = lines[0].replacing(member, with: "\(name):\(number)")
        #expect(header != lines[0], "\(member)")
        let error = #expect(throws: BundleError.self, "\(member)") {
          try readBundle(Array((header + "\n").utf8))
        }
        guard case .document(.malformed(_, let expected), line: 1) = error else {
          Issue.record("\(member): \(String(describing: error))")
          continue
        }
        #expect(expected == "a whole number up to \(limit)")
      }
    }
  }
}
