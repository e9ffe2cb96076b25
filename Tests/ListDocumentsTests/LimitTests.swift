import ListModel
import Testing

@testable import ListDocuments

/// Every reader stops at every limit.
struct LimitTests {
  private func limits(_ limit: Limit, _ value: Int) -> Limits {
    var limits = Limits.standard
    limits[limit] = value
    return limits
  }

  private func refusal(
    _ text: String, _ limit: Limit, _ value: Int, items: JSONPointer? = nil
  ) -> SnapshotError? {
    let options = SnapshotOptions(items: items, limits: limits(limit, value))
    let fresh = ListDocumentsTests.refusal(of: text.utf8, options: options)
    var series = SnapshotSeriesReader(options: options)
    let again = Outcome { () throws(SnapshotError) in try series.read(Array(text.utf8)) }
    if let fresh {
      #expect(again == .refused(fresh))
    } else if case .refused = again {
      Issue.record("one reader refuses, the other does not")
    }
    return fresh
  }

  /// Two items of 10 bytes in canonical form, with ids of 2; and the largest limit that refuses
  /// them.
  private static let texts = [
    #"[{"id":"aa"}, {"id":"bb"}]"#, "{\"id\":\"aa\"}\n{\"id\":\"bb\"}\n", "id\naa\nbb\n",
  ]

  @Test(arguments: texts)
  func snapshotAtALimitIsReadAndOneAboveItIsRefused(_ text: String) throws {
    let bounds: [(Limit, Int)] = [(.items, 2), (.itemBytes, 11), (.idBytes, 2), (.commitBytes, 26)]
    for (limit, bound) in bounds {
      #expect(refusal(text, limit, bound) == nil, "\(limit)")
      guard case .limit(let exceeded, let position) = refusal(text, limit, bound - 1) else {
        Issue.record("\(limit): not refused")
        continue
      }
      #expect(exceeded.limit == limit && exceeded.bound == bound - 1)
      let isSecond = limit == .items || limit == .commitBytes
      #expect(position.line > 1 || text.hasPrefix("[") || !isSecond, "\(limit): \(position)")
    }
  }

  @Test func limitsApplyToANestedListAndIgnoreItsSurroundings() throws {
    let text = #"{"other":"a longer text than an item may be","data":{"rows":[{"id":"a"}]}}"#
    let place = JSONPointer(tokens: ["data", "rows"])
    #expect(refusal(text, .itemBytes, 10, items: place) == nil)
    #expect(refusal(text, .itemBytes, 9, items: place) != nil)
  }

  @Test func tableRowIsReadOnlyUpToTheItemLimit() {
    let error = refusal("id\n" + String(repeating: ",", count: 1000) + "\"", .itemBytes, 100)
    #expect(
      error
        == .limit(
          ExceededLimit(.itemBytes, bound: 100),
          at: TextPosition(offset: 3, in: Array("id\n,".utf8))))
  }

  /// A small table therefore cannot become a large list.
  @Test func longColumnNamesCountTowardsTheCommitLimit() {
    let name = String(repeating: "n", count: 1000)
    let text = "id,\(name)\n" + (0..<100).map { "\($0),\n" }.joined()
    #expect(refusal(text, .commitBytes, 110_000) == nil)
    guard case .limit(let exceeded, _) = refusal(text, .commitBytes, 50_000) else {
      Issue.record("not refused")
      return
    }
    #expect(exceeded == ExceededLimit(.commitBytes, bound: 50_000))
  }

  @Test func deltaDocumentAboveALimitIsRefusedWithThePlace() throws {
    let bytes = try Parks.storedDocument().encoded()
    let cases: [(Limit, Int, JSONPointer)] = [
      (.items, 4, JSONPointer(tokens: ["from", "count"])),
      (.idBytes, 3, JSONPointer(tokens: ["removed", "0", "id"])),
      (.itemBytes, 5, JSONPointer(tokens: ["inserted", "0", "content"])),
    ]
    for (limit, bound, place) in cases {
      let error = #expect(throws: DeltaError.self, "\(limit)") {
        try DeltaDocument(bytes, limits: self.limits(limit, bound))
      }
      guard case .limit(let exceeded, let found) = error else {
        Issue.record("\(limit): \(String(describing: error))")
        continue
      }
      #expect(exceeded.limit == limit && exceeded.bound == bound && found == place, "\(limit)")
      #expect(error?.exceeded == exceeded)
    }
    let deep = #expect(throws: DeltaError.self) {
      try DeltaDocument(
        Array(#"{"a":[{"b":[[]]}]}"#.utf8), limits: self.limits(.depth, 1))
    }
    #expect(deep?.exceeded == ExceededLimit(.depth, bound: 1))
  }

  @Test func bundleAboveALimitIsRefusedWithTheLine() throws {
    let history = try BundleHistory.parks()
    for (form, limit, bound, line) in [
      (.full, .items, 4, 2), (.base, .items, 4, 1), (.base, .idBytes, 3, 2),
      (.base, .itemBytes, 5, 2), (.base, .commitBytes, 60, 3), (.full, .itemBytes, 5, 2),
      (.full, .idBytes, 3, 2), (.full, .depth, 1, 0),
    ] as [(BundleHistory.Form, Limit, Int, Int)] {
      let bytes = try history.bundle(form, from: form == .full ? 0 : 2)
      var reader = BundleReader(limits: limits(limit, bound))
      // A park's content has one level, so this depth is enough.
      if line == 0 {
        #expect(try !reader.read(bytes).isEmpty)
        continue
      }
      let error = #expect(throws: BundleError.self, "\(limit)") { try reader.read(bytes) }
      #expect(error?.exceeded?.limit == limit && error?.exceeded?.bound == bound, "\(limit)")
      #expect(
        "\(error.map { "\($0)" } ?? "")".contains("line \(line)"),
        "\(limit): \(String(describing: error))")
    }
  }
}
