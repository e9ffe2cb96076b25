import Foundation
import TestSupport
import Testing

/// Tests the judge of the patches with the public test suites of RFC 6902.
@Suite(
  .enabled(
    if: Shared.has("suites/json-patch-tests.json"),
    "skipped: the JSON Patch suites are not beside the checkout"))
struct JSONPatchInterpreterTests {
  private struct Case: Decodable {
    let comment: String?
    let doc: JSONValue
    let patch: JSONValue
    let expected: JSONValue?
    let error: String?
    let disabled: Bool?
  }

  @Test(arguments: [("json-patch-tests.json", 92), ("json-patch-spec-tests.json", 16)])
  func theInterpreterPassesTheSuite(name: String, count: Int) throws {
    let cases = try JSONDecoder().decode([Case].self, from: Shared.data("suites/\(name)"))
      .filter { $0.disabled != true }
    #expect(cases.count == count)
    for (index, test) in cases.enumerated() {
      let note = Comment(rawValue: "case \(index): \(test.comment ?? test.error ?? "")")
      let outcome = Result { try JSONPatchInterpreter.apply(test.patch, to: test.doc) }
      if test.error != nil {
        #expect(throws: JSONPatchInterpreter.Refusal.self, note) { try outcome.get() }
      } else {
        // A case with neither requires only that applying succeeds.
        let result = try? outcome.get()
        #expect(result != nil && result == test.expected ?? result, note)
      }
    }
  }
}
