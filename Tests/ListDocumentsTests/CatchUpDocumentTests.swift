import ListChanges
import ListModel
import Testing

@testable import ListDocuments

@Suite struct CatchUpDocumentTests {
  private let delta = Delta(
    list: ListName("parks"), from: .zero, to: .zero, oldest: Version(1),
    changes: Snapshot.empty.changes(to: .empty))

  @Test func documentsOfBothKindsAreReadAsTheirKind() throws {
    let changes = DeltaDocument(delta)
    let whole = SnapshotDelta(
      list: ListName("parks")!, from: nil, to: .zero, oldest: Version(1), snapshot: .empty,
      reason: .diverged)
    #expect(try CatchUpAnswer<DeltaDocument>(changes.encoded()) == .changes(changes))
    #expect(try CatchUpAnswer<DeltaDocument>(whole.encoded()) == .snapshot(whole))
  }

  @Test func unknownKindFormatOrValueIsRefusedWithItsPlace() throws {
    func place(_ text: String) -> String? {
      do {
        _ = try CatchUpAnswer<DeltaDocument>(Array(text.utf8))
        return nil
      } catch {
        guard case .malformed(let place, _) = error else { return "\(error)" }
        return place.description
      }
    }
    #expect(place(#"{"format":"list-delta/1","kind":"other"}"#) == "/kind")
    #expect(place(#"{"format":"list-delta/1"}"#) == "/kind")
    #expect(place(#"{"format":"list-delta/2","kind":"changes"}"#) == "/format")
    #expect(place("[]") == "/format")
  }
}
