import ListDocuments
import ListModel
import TestSupport
import Testing

@testable import SyncServer

@Suite struct EntityTagTests {
  private static let one = "1-00000000000100000000000000000000"
  private static let two = "2-00000000000200000000000000000000"

  private func cursors(_ text: String) -> [String]? {
    switch EntityTagCondition(text) {
    case .any: ["*"]
    case .tags(let entries):
      entries.map { entry in
        let variant = entry.tag.variant.map { "/\($0)" } ?? ""
        return (entry.isWeak ? "W" : "") + "\(entry.tag.cursor)\(variant)"
      }
    case nil: nil
    }
  }

  @Test(
    arguments: [
      ("*", ["*"]), (" * ", ["*"]), ("\"\(one)\"", [one]), ("\"\(one)+gzip\"", [one]),
      ("W/\"\(one)\"", ["W\(one)"]), ("\"\(one)\",\"\(two)\"", [one, two]),
      ("\"x\" ,\t W/\"\(two)+gzip\" ", ["W\(two)"]), ("\"\"", []), ("\"a,b\"", []),
      ("\"\(one)+br\"", []), ("\"\(one)+0123456789ab\"", ["\(one)/0123456789ab"]),
      ("\"\(one)+0123456789ab+gzip\"", ["\(one)/0123456789ab"]), ("\"\(one)+gzip+gzip\"", []),
      ("\"\(one)+0123456789ab+0123456789ab\"", []), ("\"\(one)+\"", []), ("\"\(one)\", *", nil),
      (one, nil), ("", nil), (" ", nil), (",", nil),
      ("\"\(one)", nil), ("\"\(one)\" \"\(two)\"", nil), ("w/\"\(one)\"", nil), ("W/", nil),
      ("\"\(one)\",", [one]), (",\"\(one)\"", [one]), ("'\(one)'", nil), (", ,", nil),
      ("\"\(one)\" ,, ,\t\"\(two)\" ,", [one, two]), ("\"\(one)\",x", nil),
    ] as [(String, [String]?)])
  func entityTagListIsReadAsRFC9110SpecifiesIt(_ text: String, _ expected: [String]?) {
    #expect(cursors(text) == expected)
  }

  @Test func weakTagMatchesForReadingAndNeverForReplacing() throws {
    let cursor = try #require(Cursor(Self.one))
    let condition = try #require(EntityTagCondition("W/\"\(cursor)\""))
    #expect(condition.matches(EntityTag(cursor: cursor)))
    #expect(condition.strongCursors.isEmpty)
  }

  @Test func entityTagWithADigestIdentifiesItsBytesAndItsState() throws {
    let cursor = try #require(Cursor(Self.one))
    let tag = EntityTag(cursor: cursor, variant: .init(of: [1]), isGzip: true)
    let condition = try #require(EntityTagCondition("\(tag)"))
    #expect(condition.matches(EntityTag(cursor: cursor, variant: .init(of: [1]))))
    #expect(!condition.matches(EntityTag(cursor: cursor, variant: .init(of: [2]))))
    #expect(!condition.matches(EntityTag(cursor: cursor)))
    #expect(condition.strongCursors == [cursor])
  }
}

@Suite struct AcceptanceTests {
  @Test(
    arguments: [
      (nil, false), ("", false), ("gzip", true), ("x-gzip", true), ("GZip", true), ("*", true),
      ("gzip;q=0", false), ("gzip; q=0.000", false), ("gzip;q=0.001", true), ("*;q=0", false),
      ("gzip;q=0, *", false), ("*;q=0, gzip", true), ("deflate, br", false), ("gzipped", false),
      ("identity, gzip;q=0.2", true), (",,gzip", true),
    ] as [(String?, Bool)])
  func gzipIsAcceptedByNameOrByAStar(_ text: String?, _ expected: Bool) {
    #expect(Answer.acceptsGzip(text) == expected)
  }
}

@Suite struct QueryTests {
  @Test func namesAndValuesAreDecodedOnceAndAPlusIsASpace() throws {
    let query = try QueryParameters("a=x%2By&b=1+2&id=%25&id=&c", known: ["a", "b", "c", "id"])
    #expect(query["a"] == "x+y")
    #expect(query["b"] == "1 2")
    #expect(query["c"] == "")
    #expect(query.all("id") == ["%", ""])
    #expect(query["d"] == nil)
  }

  @Test(arguments: ["x=1", "a=1&a=1", "a=%", "a=%fg", "%ff=1", "=", "A=1"])
  func unknownRepeatedAndUndecodableParametersAreRefused(_ text: String) {
    #expect(throws: Problem.self) { try QueryParameters(text, known: ["a", "b"]) }
  }

  @Test(arguments: [("1", 1), ("10", 10), ("007", 7)] as [(String, Int)])
  func numberParameterHasOnlyDigitsAndAValueInItsRange(_ text: String, _ number: Int) throws {
    #expect(try QueryParameters("a=\(text)", known: ["a"]).number("a", in: 1...10) == number)
  }

  @Test(arguments: ["", "0", "11", "+1", "1.0", "1e0", "٣", "0x1"])
  func numberOutOfRangeOrInAnotherFormIsRefused(_ text: String) throws {
    let query = try QueryParameters("a=\(PercentEncoding.encode(text))", known: ["a"])
    #expect(throws: Problem.self) { try query.number("a", in: 1...10) }
  }
}
