import ListChanges
import ListModel
import TestSupport
import Testing

@testable import ListDocuments

@Suite struct BundleRefusalTests {
  private static func small() throws -> [[UInt8]] {
    let history = try BundleHistory.parks()
    return [
      try history.bundle(.full, to: 1), try history.bundle(.base, from: 1, to: 1),
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
    guard case .wrongDigest(line: 5, let stated, let found) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(text.contains(stated))
    #expect(found != stated && found.count == 64)
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

  /// Changed lines of the bundle of versions 1 (with its five items) to 3, sealed again.
  private static let disorders: [(of: [Int], error: BundleError)] = [
    ([1, 0, 2, 3, 4, 5, 6, 7], .wrongLine(line: 1, expected: .header, found: .item)),
    ([6, 0], .wrongLine(line: 1, expected: .header, found: .step)),
    ([], .wrongLine(line: 1, expected: .header, found: .end)),
    ([0, 0, 1, 2, 3, 4, 5, 6, 7], .wrongLine(line: 2, expected: .item, found: .header)),
    ([0, 1, 2, 3, 4, 6, 5, 7], .wrongLine(line: 6, expected: .item, found: .step)),
    ([0, 1, 2, 3, 4, 5, 5, 6, 7], .wrongLine(line: 7, expected: .step, found: .item)),
    ([0, 1, 2, 3, 4, 5, 0, 6, 7], .wrongLine(line: 7, expected: .step, found: .header)),
    (
      [0, 1, 2, 3, 4, 5, 7, 6],
      .wrongVersion(line: 7, expected: Version(2), found: Version(3))
    ),
    (
      [0, 1, 2, 3, 4, 5, 6, 6],
      .wrongVersion(line: 8, expected: Version(3), found: Version(2))
    ),
    ([0, 1, 2, 3, 4, 5, 6], .wrongLine(line: 8, expected: .step, found: .end)),
    ([0, 1, 2, 3], .wrongLine(line: 5, expected: .item, found: .end)),
    ([0, 1, 2, 3, 4, 5, 6, 7, 7], .wrongLine(line: 9, expected: .end, found: .step)),
    ([0, 1, 2, 3, 4, 5, 6, 7, 0], .wrongLine(line: 9, expected: .end, found: .header)),
  ]

  @Test(arguments: disorders)
  func linesInTheWrongOrderAreRefused(of order: [Int], error: BundleError) throws {
    let lines = lines(of: try BundleHistory.parks().bundle(.base, from: 1))
    #expect(throws: error) { try readBundle(sealed(order.map { lines[$0] })) }
  }

  @Test func baseItemsInTheWrongOrderAreRefused() throws {
    let history = try BundleHistory.parks()
    var lines = lines(of: try history.bundle(.base, from: 1))
    lines.swapAt(2, 3)
    let error = #expect(throws: BundleError.self) { try readBundle(sealed(lines)) }
    guard case .wrongItems(line: 6, let expected, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(expected == history.states[1].root)
  }

  @Test func everyForgedHeaderBreaksTheChain() throws {
    let history = try BundleHistory.parks()
    for (part, forged) in [
      (".250Z", ".251Z"), ("Ben", "Bob"), (#""message":null"#, #""message":"""#),
    ] {
      var lines = lines(of: try history.bundle(.incremental, from: 1))
      lines[1] = try lines[1].replacingOnly(part, with: forged)
      #expect(throws: BundleError.brokenChain(line: 2, version: Version(2)), "\(part)") {
        try readBundle(sealed(lines))
      }
    }
  }

  @Test func theLastStepMustLeadToTheTarget() throws {
    let history = try BundleHistory.parks()
    let lied = ListState(
      VersionHeader(
        version: Version(2), note: history.steps[1].record.note, root: history.states[3].root,
        previous: history.steps[0].record.chain), count: history.states[2].count)
    let header = BundleHeader(list: Parks.name, idRule: nil, start: .zero, target: lied)
    let lines = lines(of: try history.bundle(.full, to: 2)).dropFirst()
    let bundle = sealed([String(decoding: header.line, as: UTF8.self)] + lines)
    #expect(throws: BundleError.wrongTarget(line: 3, version: Version(2))) {
      try readBundle(bundle)
    }
  }

  @Test(arguments: [
    (#"{"lines":5,"#, BundleError.wrongLineCount(line: 5, stated: 5, found: 4)),
    (
      #"{"lines":-4,"#,
      .malformed(line: 5, at: JSONPointer(tokens: ["lines"]), expected: "a whole number from 0")
    ),
    (
      #"{"lines":1e99,"#,
      .malformed(line: 5, at: JSONPointer(tokens: ["lines"]), expected: "a whole number from 0")
    ),
  ])
  func aWrongLineCountIsRefused(start: String, error: BundleError) throws {
    let text = String(decoding: try BundleHistory.parks().bundle(.full), as: UTF8.self)
    let changed = try text.replacingOnly(#"{"lines":4,"#, with: start)
    #expect(throws: error) { try readBundle(Array(changed.utf8)) }
  }

  @Test func lastLineIsAcceptedInItsExactSpellingOnly() throws {
    let text = String(decoding: try BundleHistory.parks().bundle(.full), as: UTF8.self)
    let end = try #require(text.split(separator: "\n").last)
    for spelling in [#"{"lines": 4,"#, #"{"Lines":0,"lines":4,"#] {
      let changed = try text.replacingOnly(#"{"lines":4,"#, with: spelling)
      #expect(
        throws: BundleError.malformed(
          line: 5, at: JSONPointer(tokens: []), expected: "exactly \(end)")
      ) { try readBundle(Array(changed.utf8)) }
    }
  }

  @Test func wrongLineKindsAndInvalidJSONAreReportedWithTheirPosition() throws {
    let lines = lines(of: try BundleHistory.parks().bundle(.full))
    #expect(throws: BundleError.malformed(line: 2, at: JSONPointer(tokens: []), expected: "a step"))
    {
      try readBundle(sealed([lines[0], "[1]", lines[1]]))
    }
    let delta = Array(#"{"format":"list-delta/1","kind":"changes"}"#.utf8) + [UInt8(ascii: "\n")]
    #expect(
      throws: BundleError.malformed(
        line: 1, at: JSONPointer(tokens: ["format"]), expected: #""list-bundle/1""#)
    ) { try readBundle(delta) }
    let error = #expect(throws: BundleError.self) {
      try readBundle(sealed([lines[0], #"{"é":"#, lines[1]]))
    }
    #expect(
      error?.description
        == "line 2, column 6: not JSON: the input ends where a JSON value is expected: "
        + "it was cut off")
    guard case .json(_, let position) = error else { return }
    #expect(position.offset == lines[0].utf8.count + 1 + 6)
  }

  @Test func numbersAboveTheLimitsOfAStoreAreRefused() throws {
    let bundle = String(decoding: try BundleHistory.parks().bundle(.base, from: 1), as: UTF8.self)
    let lines = bundle.split(separator: "\n").map(String.init)
    for (member, limit) in [
      (#""version":1"#, Version.highest.number), (#""removed":0"#, Limit.items.highest),
      (#""moved":0"#, Limit.items.highest), (#""updated":0"#, Limit.items.highest),
    ] {
      let name = member.prefix { $0 != ":" }
      for number in [limit + 1, .max] {
        let header = lines[0].replacing(member, with: "\(name):\(number)")
        #expect(header != lines[0], "\(member)")
        let error = #expect(throws: BundleError.self, "\(member)") {
          try readBundle(Array((header + "\n").utf8))
        }
        guard case .malformed(line: 1, _, let expected) = error else {
          Issue.record("\(member): \(String(describing: error))")
          continue
        }
        #expect(expected == "a whole number up to \(limit)")
      }
    }
  }
}
