import ListChanges
import ListModel
import Testing

struct RewritingTests {
  private func kind(_ old: String?, _ new: String?) throws -> RewritingKind? {
    RewritingKind(
      from: try old.map { try Content(json: Array($0.utf8)) },
      to: try new.map { try Content(json: Array($0.utf8)) })
  }

  @Test(
    arguments: [
      (nil, "null", .absentToNull), ("null", nil, .nullToAbsent),
      (#""NA""#, "null", .emptyValue), (#""none""#, #""""#, .emptyValue),
      (nil, #""""#, .emptyValue),
      (#""007""#, "7", .textToNumber), (#"" 7.50""#, "7.5", .textToNumber),
      (#""0o17""#, "15", .textToNumber),
      ("9223372036854775808", #""9223372036854775808""#, .numberToText),
      ("true", "1", .booleanToNumber), ("false", "0", .booleanToNumber),
      (#"["a",{"b":1}]"#, #""[\"a\", {\"b\": 1}]""#, .nestedToText),
      ("12.3456", "12.35", .digits), ("1.5e-11", "0", .digits), ("1e400", "1.797e308", .digits),
      ("1234567890123456789", "1234567890123456800", .digits), (#""007""#, #""7""#, .digits),
      ("1767600000", "1767600000000", .timeForm), (#""2026-01-05""#, "1767571200000", .timeForm),
      (#""2026-01-05""#, #""2026-01-05 00:00:00""#, .timeForm),
      (#""01-02-2026""#, #""2026-02-01""#, .timeForm),
      (#""2026-01-05T10:00:00Z""#, #""2026-01-05T11:00:00+01:00""#, .timeForm),
      (#""10:20""#, #""0:10:20""#, .timeForm), (#""January""#, #""0001-01-01""#, .timeForm),
      (#""4F-AA""#, #""4f-aa""#, .letterCase), (#""a b""#, #"" a  b""#, .whiteSpace),
    ] as [(String?, String?, RewritingKind)])
  func workOfAToolIsRecognized(old: String?, new: String?, expected: RewritingKind) throws {
    #expect(try kind(old, new) == expected)
  }

  @Test(
    arguments: [
      (nil, "1"), ("1", nil), (#""Zion""#, #""Arches""#), (#""Zion""#, "null"), ("8.5", "8.6"),
      ("8", "9"), ("100", "200"), (#""7""#, "8"), (#""2026-01-05""#, #""2026-01-06""#),
      (#""2026-01-05T10:00:00Z""#, #""2026-01-05T10:30:00Z""#), (#""10:20""#, #""10:25""#),
      ("true", "false"), ("true", "0"), ("[1]", "[2]"), ("[1]", #""[2]""#), ("8", "8"),
      ("1767600000", "1767600060"),
    ] as [(String?, String?)])
  func editIsNoWorkOfATool(old: String?, new: String?) throws {
    #expect(try kind(old, new) == nil)
  }

  private func changes(
    of count: Int = 20, updating updated: Int? = nil, _ old: @escaping (Int) -> String,
    _ new: @escaping (Int) -> String
  ) throws -> ChangeSet<Item> {
    let lists = try [old, new].map { text in
      try Snapshot(
        (0..<count).map { number in
          let members = number < updated ?? count ? text(number) : old(number)
          return Item(
            id: ItemID("i\(number)"),
            content: try Content(json: Array(#"{"id":"i\#(number)",\#(members)}"#.utf8)))
        })
    }
    return lists[0].changes(to: lists[1])
  }

  @Test func membersAreCountedByKind() throws {
    func rewritten(_ number: Int) -> String {
      let note = number < 12 ? #","note":null"# : ""
      return #""at":\#(number),"n":\#(number == 0 ? 2 : 1)\#(note)"#
    }
    let changes = try changes({ #""at":"2026-01-0\#($0 % 9 + 1)","n":1"# }, rewritten)
    let summary = try #require(UpdateSummary.rewriting(in: changes))
    #expect((summary.updateCount, summary.rewrittenCount) == (20, 19))
    #expect(
      summary.members.map { "\($0.path) \($0.kind?.rawValue ?? "edited") \($0.itemCount)" } == [
        "/at another form of a time 20", "/note absent → null 12", "/n edited 1",
      ])
    #expect(summary.members[1].example.id == "i0")
  }

  @Test func tenthOfTheUpdatesMayBeEdits() throws {
    func summary(edited: Int) throws -> UpdateSummary? {
      UpdateSummary.rewriting(
        in: try changes(
          { _ in #""n":1.25,"t":"x""# }, { #""n":1.2,"t":"\#($0 < edited ? "y" : "x")""# }))
    }
    #expect(try summary(edited: 2)?.rewrittenCount == 18)
    #expect(try summary(edited: 3) == nil)
  }

  @Test func fewOfManyItemsAreAnEdit() throws {
    func isRewriting(_ updated: Int) throws -> Bool {
      let changes = try changes(updating: updated, { _ in #""n":1.25"# }, { _ in #""n":1.2"# })
      return UpdateSummary.rewriting(in: changes) != nil
    }
    #expect(try !isRewriting(1))
    #expect(try isRewriting(2))
  }

  @Test func memberUnderAnotherNameIsRecognized() throws {
    let changes = try changes({ #""A":\#($0),"a":0"# }, { #""A_1":\#($0),"a":0"# })
    let summary = try #require(UpdateSummary.rewriting(in: changes))
    #expect(summary.members.map(\.kind) == [.name, .name])
  }

  @Test func idsThatLostZerosAreRecognized() throws {
    func list(_ ids: [String]) throws -> Snapshot {
      try Snapshot(
        ids.map { Item(id: ItemID($0), content: try Content(json: Array("\"\($0)\"".utf8))) })
    }
    func renumbered(_ old: [String], _ new: [String]) throws -> RewritingNotice.Renumbered? {
      RewritingNotice(try list(old).changes(to: list(new)))?.renumbered
    }
    let found = try #require(try renumbered(["007", "12", "x"], ["7", "12.0", "x", "9"]))
    #expect((found.old, found.new, found.count) == ("007", "7", 2))
    #expect(try renumbered(["1", "x"], ["2", "X"]) == nil)
    #expect(try renumbered(["007", "x"], ["7", "y"]) == nil)
  }

  /// Members are counted in a table, whose order is another one in each process.
  @Test func kindsOfOneMemberAreInTheSameOrderInEachProcess() throws {
    let values = [
      ("7", #""7""#), (#""8""#, "8"), ("1.25", "1.3"), (#""A""#, #""a""#), ("true", "1"),
      (#""a b""#, #""a  b""#), (#""NA""#, "null"),
    ]
    func list(_ values: [String]) throws -> [Item] {
      try values.enumerated().map { number, value in
        let json = #"{"id":"\#(number)","v":\#(value)}"#
        return Item(id: ItemID("\(number)"), content: try Content(json: Array(json.utf8)))
      }
    }
    let old = try Snapshot(list(values.map(\.0)))
    let changes = old.changes(to: try Snapshot(list(values.map(\.1))))
    let kinds = UpdateSummary(changes).members.compactMap { $0.kind?.rawValue }
    #expect(kinds.count == values.count && kinds == kinds.sorted())
  }
}
