import ListModel
import TestSupport
import Testing

@testable import ListDocuments

@Suite struct MergePatchTests {
  /// All contents of objects up to a depth, with the members a and b, and the scalars.
  private static func contents(depth: Int) -> [String] {
    let scalars = ["null", "1"]
    if depth == 0 { return scalars + ["{}"] }
    let values: [String?] = [nil] + contents(depth: depth - 1)
    let objects = values.flatMap { a in
      values.map { b in
        let members = [a.map { "\"a\":\($0)" }, b.map { "\"b\":\($0)" }].compactMap { $0 }
        return "{\(members.joined(separator: ","))}"
      }
    }
    return scalars + objects
  }

  @Test func patchLeadsToTheNewContentForAllSmallContents() throws {
    let contents = try Self.contents(depth: 2).map { try Content(json: $0) }
    #expect(contents.count > 300)
    var (patchCount, wrong) = (0, 0)
    for old in contents {
      for new in contents {
        guard let patch = old.mergePatch(to: new) else { continue }
        patchCount += 1
        if old.merging(patch) != new { wrong += 1 }
      }
    }
    #expect(wrong == 0 && patchCount > contents.count * contents.count / 8, "\(patchCount)")
  }

  /// No object is a shorter patch, and where there is no patch none of them leads there.
  @Test func patchIsTheShortestOfAllPatches() throws {
    let contents = try Self.contents(depth: 1).map { try Content(json: $0) }
    let objects = try Self.contents(depth: 2).map { try Content(json: $0) }
      .filter { ContentView($0).kind == .object }
    for old in contents where ContentView(old).kind == .object {
      var shortest: [Content: Int] = [:]
      for patch in objects {
        let result = old.merging(patch)
        shortest[result] = min(shortest[result] ?? .max, patch.bytes.count)
      }
      for new in contents where ContentView(new).kind == .object {
        #expect(old.mergePatch(to: new)?.bytes.count == shortest[new], "\(old) to \(new)")
      }
    }
  }

  @Test func patchLeadsToTheNewContentForRandomContents() throws {
    var random = SeededRandom.forThisRun()
    var patchCount = 0
    for _ in 0..<3000 {
      let old = try Content(json: random.object(depth: 4))
      let new = try Content(json: random.object(depth: 4))
      guard let patch = old.mergePatch(to: new) else { continue }
      patchCount += 1
      #expect(old.merging(patch) == new, "seed \(random.seed): \(old) to \(new)")
      #expect(try Content(json: patch.description) == patch, "the patch is canonical")
    }
    #expect(patchCount > 300, "\(patchCount)")
  }

  @Test(arguments: ["null", "1", "[1]", "\"a\""]) func valueThatIsNoObjectHasNoPatch(text: String)
    throws
  {
    let (value, object) = (try Content(json: text), try Content(json: "{\"a\":1}"))
    #expect(value.mergePatch(to: object) == nil && object.mergePatch(to: value) == nil)
  }

  @Test(arguments: [
    (#"{"a":1,"b":{"c":1,"d":2}}"#, #"{"a":1,"b":{"c":1,"d":3}}"#, #"{"b":{"d":3}}"#),
    (#"{"a":1,"b":2}"#, #"{"b":2}"#, #"{"a":null}"#),
    (#"{"a":null,"b":1}"#, #"{"a":null,"b":2}"#, #"{"b":2}"#),
    (#"{"a":[1,2]}"#, #"{"a":[1,null]}"#, #"{"a":[1,null]}"#),
    (#"{"a":1}"#, #"{"a":{"b":{}}}"#, #"{"a":{"b":{}}}"#),
    (#"{"é":1}"#, "{\"e\u{301}\":1}", "{\"e\u{301}\":1,\"é\":null}"),
  ])
  func patchHasOnlyTheChangedMembers(old: String, new: String, patch: String) throws {
    #expect(try Content(json: old).mergePatch(to: Content(json: new))?.description == patch)
  }

  @Test(arguments: [
    (#"{"a":1}"#, #"{"a":null}"#), (#"{"a":1}"#, #"{"a":1,"b":{"c":[],"d":{"e":null}}}"#),
    (#"{"a":{}}"#, #"{"a":{"b":null}}"#),
  ])
  func newNullHasNoPatch(old: String, new: String) throws {
    #expect(try Content(json: old).mergePatch(to: Content(json: new)) == nil)
  }

  /// RFC 7396, appendix A.
  @Test(arguments: [
    (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
    (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
    (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
    (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
    (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
    (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
    (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#), (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
    (#"{"a":"foo"}"#, "null", "null"), (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
    (#"{"e":null}"#, #"{"a":1}"#, #"{"a":1,"e":null}"#),
    (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
    (#"{}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
  ])
  func mergingGivesTheResultsOfTheRFC(old: String, patch: String, result: String) throws {
    #expect(try Content(json: old).merging(Content(json: patch)).description == result)
  }
}

extension SeededRandom {
  /// An object of few names, so that two of them often share members.
  fileprivate mutating func object(depth: Int) -> String {
    let members = ["a", "b", "é", "\\\"", "e\u{301}", "😀"].filter { _ in chance(2) }
      .map { "\"\($0)\":\(value(depth: depth - 1))" }
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func value(depth: Int) -> String {
    switch number(0...(depth > 0 ? 9 : 4)) {
    case 0: chance(6) ? "null" : "\"null\""
    case 1, 2: "\(number(0...2))"
    case 3: "[\(number(0...1)),null]"
    case 4: "\"\(element(of: ["x", "é", "y"]))\""
    default: object(depth: depth)
    }
  }
}
