import ListChanges
import Testing

/// The Swift of `Renderings.md` on edit scripts, JSON Patch and sections.
@Suite struct EditAndSectionSnippetTests {
  typealias Movie = RenderingSnippetTests.Movie

  let old = RenderingSnippetTests().old
  let new = RenderingSnippetTests().new

  @Test func editScriptSubstitutesElementsWithoutIDs() throws {
    // snippet: edit-script
    let script = "kit".editScript(to: "kat")
    #expect(script.steps == [.substitute(from: 1, to: 1, old: "i", new: "a")])
    #expect(try "kit".applying(script) == Array("kat"))
    // end
  }

  @Test func linearStepsFollowTheOrderOfDeepDiff() throws {
    // snippet: linear-steps
    let changes = try "abc".map { Movie(id: $0) }.changes(to: "cba".map { Movie(id: $0) })
    #expect(changes.linearSteps() == [.move(from: 2, to: 0), .move(from: 0, to: 2)])
    #expect(changes.moved.count == 2)
    // end
  }

  @Test func patchHasOneOperationPerChange() throws {
    let changes = try old.changes(to: new)
    // snippet: json-patch
    let patch = changes.jsonPatch()
    #expect(
      patch.operations == [
        .remove(at: 0), .move(from: 2, to: 0), .add(new[3], at: 3), .replace(new[0], at: 0),
        .replace(new[1], at: 1),
      ])
    #expect(patch.operations[1].from == "/2" && patch.operations[1].path == "/0")
    // end
  }

  @Test func sectionedChangesAreAppliedInStages() throws {
    // snippet: sections
    struct State: Identifiable, Equatable { let id: String }
    struct Park: Identifiable, Equatable { let id: String }
    let (utah, maine) = (State(id: "Utah"), State(id: "Maine"))
    let (arches, zion, acadia) = (Park(id: "Arches"), Park(id: "Zion"), Park(id: "Acadia"))
    let old = [ListSection(utah, items: [arches, acadia, zion])]
    let new = [
      ListSection(maine, items: [acadia]), ListSection(utah, items: [arches, zion]),
    ]
    let changes = try old.sectionedChanges(to: new)
    let stages = changes.stages()
    #expect(stages.count == 2)
    #expect(stages[0].insertedSections == [0])
    #expect(stages[1].movedItems.map(\.from) == [ItemPath(section: 1, item: 1)])
    #expect(stages[1].movedItems.map(\.to) == [ItemPath(section: 0, item: 0)])
    var data = old
    for stage in stages { data = try data.applying(stage.changes) }
    #expect(data == new)
    // end
  }
}
