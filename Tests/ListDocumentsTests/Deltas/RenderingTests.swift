import Foundation
import ListChanges
import ListDocuments
import ListModel
import Testing

/// The example of ArrayUpdater's README: arches, great smoky mountains, yosemite, zion becoming
/// zion, grand canyon, great smokies, yosemite, arches. Moved are arches (0 to 4) and zion (3 to
/// 0).
@Suite struct RenderingTests {
  private static func snapshot(_ items: [(id: String, name: String)]) throws -> Snapshot {
    try Snapshot(
      items.map { item in
        Item(
          id: ItemID(item.id),
          content: try Content(json: #"{"id":"\#(item.id)","name":"\#(item.name)"}"#))
      })
  }

  private func delta() throws -> Delta {
    let old = try Self.snapshot([
      ("arches", "Arches"), ("smoky", "Great Smoky Mountains"), ("yosemite", "Yosemite"),
      ("zion", "Zion"),
    ])
    let new = try Self.snapshot([
      ("zion", "Zion"), ("canyon", "Grand Canyon"), ("smoky", "Great Smokies"),
      ("yosemite", "Yosemite"), ("arches", "Arches"),
    ])
    return Delta(
      list: ListName("parks"), from: ListState(of: old), to: ListState(of: new), oldest: nil,
      changes: old.changes(to: new))
  }

  /// The members `from` and `to`.
  private func body(_ rendering: Rendering) throws -> String {
    let text = String(decoding: rendering.encode(try delta()), as: UTF8.self)
    let lines = text.split(separator: "\n")
    #expect(lines[0].contains(#""rendering":"\#(rendering.rawValue)""#))
    #expect(lines.count == 4)
    return String(lines[3].dropLast())
  }

  @Test(arguments: [
    (
      Rendering.batch,
      #""deleted":[],"inserted":[1],"moved":[{"from":0,"to":4},{"from":3,"to":0}],"reloaded":[1]"#
    ),
    (
      .twoBatches,
      #""first":{"deleted":[],"inserted":[1],"moved":[{"from":0,"to":4},{"from":3,"to":0}],"#
        + #""reloaded":[]},"second":{"deleted":[],"inserted":[],"moved":[],"reloaded":[2]}"#
    ),
    // The figures in ArrayUpdater's README.
    (.indexUpdate, #""deletions":[0,3],"insertions":[0,1,4],"reloads":[1]"#),
    (
      .actions,
      #""actions":[{"do":"move","from":0,"to":4},{"do":"move","from":3,"to":0},"#
        + #"{"do":"add","to":1}]"#
    ),
    (
      .steps,
      #""steps":[{"do":"move","from":3,"to":0},{"do":"move","from":1,"to":3},"#
        + #"{"do":"insert","to":1},{"do":"update","to":2}]"#
    ),
  ])
  func everyRenderingMatchesTheIndexesOfTheExample(rendering: Rendering, expected: String) throws {
    #expect(try body(rendering) == expected)
  }

  @Test func everyRenderingIsValidJSON() throws {
    for rendering in Rendering.allCases {
      let bytes = rendering.encode(try delta())
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(bytes)) }
    }
  }

  @Test func jsonPatchRenderingIsABareArrayOfOperations() throws {
    let text = String(decoding: Rendering.jsonPatch.encode(try delta()), as: UTF8.self)
    #expect(text.hasPrefix("[\n{\"op\":"))
    #expect(
      text.contains(#"{"op":"replace","path":"/2","value":{"id":"smoky","name":"Great Smokies"}}"#))
  }
}
