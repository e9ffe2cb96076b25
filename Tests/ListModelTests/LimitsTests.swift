import ListModel
import Testing

struct LimitsTests {
  @Test(arguments: Limit.allCases)
  func environmentVariableSetsItsLimitUpToItsHighestValue(_ limit: Limit) throws {
    #expect(Limits.standard[limit] == limit.standard)
    #expect((1...limit.highest).contains(limit.standard))
    for value in [1, limit.highest] {
      let limits = try Limits(environment: [limit.variable: "\(value)"])
      #expect(limits[limit] == value)
      for other in Limit.allCases where other != limit {
        #expect(limits[other] == other.standard)
      }
    }
    let invalid = ["", "0", "-1", "+1", "1.5", "1e3", " 1", "١", "99999999999999999999"]
    for text in invalid + ["\(limit.highest + 1)"] {
      let error = #expect(throws: InvalidSetting.self) {
        try Limits(environment: [limit.variable: text])
      }
      #expect(
        error?.description
          == "\(limit.variable) is '\(text)', not a whole number from 1 to \(limit.highest)")
    }
  }

  @Test(arguments: Limit.allCases)
  func limitAllowsItsBoundAndRefusesOneMore(_ limit: Limit) throws {
    var limits = Limits.standard
    limits[limit] = 7
    try limits.check(7, limit)
    #expect(throws: ExceededLimit(limit, bound: 7, found: 8)) { try limits.check(8, limit) }
    try Limits.none.check(limit == .depth ? 512 : .max, limit)
  }

  @Test func commitSizeIsTheSumOfAllIDsAndItems() throws {
    var limits = Limits.standard
    limits[.commitBytes] = 6
    var size = CommitSize(limits)
    let item = Item(id: "é", content: try Content(json: "1"))
    try size.add(item)
    try size.add(item)
    #expect(throws: ExceededLimit(.commitBytes, bound: 6)) { try size.add(item) }
  }

  @Test func valueIsReadOnlyUpToItsLimitInCanonicalForm() throws {
    for (text, count) in [("[ 1 , 2 ]", 5), ("1e20", 21), (#""\u0041""#, 3), ("{}", 2)] {
      var parser = JSONParser(Array(text.utf8))
      parser.byteLimit = count
      #expect(try parser.canonicalValue().count == count)
      parser = JSONParser(Array(text.utf8))
      parser.byteLimit = count - 1
      let error = #expect(throws: JSONError.self) { try parser.canonicalValue() }
      #expect(error?.reason == .limit(ExceededLimit(.itemBytes, bound: count - 1)))
    }
    // The bytes after the limit are never read.
    var parser = JSONParser(Array("[1,2,3,4,5,6,7,8,nonsense".utf8))
    parser.byteLimit = 5
    let error = #expect(throws: JSONError.self) { try parser.canonicalValue() }
    #expect(error?.offset ?? .max <= 7)
  }

  @Test func lowerDepthLimitIsEnforced() throws {
    var limits = Limits.standard
    limits[.depth] = 2
    var parser = JSONParser(Array("[[]]".utf8), limits: limits)
    _ = try parser.canonicalValue()
    parser = JSONParser(Array("[[[]]]".utf8), limits: limits)
    let exceeded = ExceededLimit(.depth, bound: 2)
    #expect(throws: JSONError(offset: 2, reason: .limit(exceeded))) {
      try parser.canonicalValue()
    }
  }

  /// Only a damaged store has such counts.
  @Test func totalOfAbsurdCountsIsTheLargestNumberAndDoesNotTrap() {
    let counts = ChangeCounts(removed: .max, moved: 1, inserted: .max, updated: .max)
    #expect(counts.total == .max)
    #expect(ChangeCounts(removed: 1, moved: 2, inserted: 3, updated: 4).total == 10)
  }
}
