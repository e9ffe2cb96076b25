import ListChanges
import Testing
import UIKitStub

/// The calls that views get from an app. This target is compiled like an app in another package.
@MainActor @Suite struct ViewAppTests {
  /// `a` is removed, `b` moves and changes, `c` moves, `d` changes, `f` is new.
  private let old = ["a", "b", "c", "d", "e", "x"].map { Park(id: $0) }
  private let new = [
    Park(id: "d", rating: 1), Park(id: "e"), Park(id: "b", rating: 1), Park(id: "c"),
    Park(id: "f"), Park(id: "x"),
  ]

  @Test func collectionViewGetsOneBatchWithoutEmptyCalls() {
    let app = ViewApp(old)
    app.collectionView.show(on: UIWindow())
    app.showInCollectionView(new)
    #expect(
      app.collectionView.calls == [
        "performBatchUpdates", "delete [[0, 0], [0, 1]]", "insert [[0, 2], [0, 4]]",
        "move [0, 2] to [0, 3]", "reload [[0, 3]]",
      ])
    #expect(app.parks == new)
    app.showInCollectionView(new)
    #expect(app.collectionView.calls.count == 5)
    app.showInCollectionView(new.dropLast())
    #expect(app.collectionView.calls.dropFirst(5) == ["performBatchUpdates", "delete [[0, 5]]"])
  }

  @Test func tableViewGetsTheSameBatchWithItsAnimation() {
    let app = ViewApp(old)
    app.tableView.show(on: UIWindow())
    app.showInTableView(new)
    #expect(
      app.tableView.calls == [
        "performBatchUpdates", "delete [[0, 0], [0, 1]] automatic",
        "insert [[0, 2], [0, 4]] automatic", "move [0, 2] to [0, 3]", "reload [[0, 3]] automatic",
      ])
    #expect(app.parks == new)
  }

  @Test func adapterGivesTheBatchToAppKit() {
    let app = ViewApp(old)
    app.macView.show(on: NSWindow())
    app.showOnMac(new)
    #expect(
      app.macView.calls == [
        "performBatchUpdates", "delete [[0, 0], [0, 1]]", "insert [[0, 2], [0, 4]]",
        "move [0, 2] to [0, 3]", "reload [[0, 3]]",
      ])
  }

  /// The user has moved `c` to the front and rated `d`. The news lack `a`, and have `f` and rate
  /// `b`.
  @Test func editedListMergesIntoNewsWhileItIsShown() throws {
    let app = ViewApp(["a", "b", "c", "d"].map { Park(id: $0) })
    app.collectionView.show(on: UIWindow())
    app.edited = [Park(id: "c"), Park(id: "a"), Park(id: "b"), Park(id: "d", rating: 5)]
    app.showInCollectionView(app.edited)
    try app.show(news: [Park(id: "b", rating: 2), Park(id: "c"), Park(id: "f"), Park(id: "d")])
    let merged = [
      Park(id: "c"), Park(id: "b", rating: 2), Park(id: "f"), Park(id: "d", rating: 5),
    ]
    #expect(app.parks == merged)
    #expect(
      app.collectionView.calls.suffix(4) == [
        "performBatchUpdates", "delete [[0, 1]]", "insert [[0, 2]]", "reload [[0, 2]]",
      ])
    // Later news merge with the same edits, not with the merged list.
    try app.show(news: app.base)
    #expect(app.parks == app.edited)
  }

  @Test func sectionsChangeInSuccessiveBatches() {
    let app = ViewApp([])
    app.states = [
      ListSection(State(id: "Utah"), items: [Park(id: "Arches"), Park(id: "Zion")]),
      ListSection(State(id: "Maine"), items: [Park(id: "Acadia")]),
    ]
    let before = app.states
    let new = [
      ListSection(State(id: "Alaska"), items: [Park(id: "Denali")]),
      ListSection(State(id: "Utah"), items: [Park(id: "Zion", rating: 1), Park(id: "Acadia")]),
    ]
    app.collectionView.show(on: UIWindow())
    app.showSections(new)
    #expect(
      app.collectionView.calls == [
        "performBatchUpdates", "insert § [0]", "performBatchUpdates", "delete [[1, 0]]",
        "move [2, 0] to [1, 1]", "performBatchUpdates", "delete § [2]", "performBatchUpdates",
        "reload [[1, 0]]",
      ])
    #expect(app.states == new)
    app.tableView.show(on: UIWindow())
    app.states = before
    app.showSectionsInTableView(new)
    #expect(
      app.tableView.calls == [
        "performBatchUpdates", "insert § [0] fade", "performBatchUpdates", "delete [[1, 0]] fade",
        "move [2, 0] to [1, 1]", "performBatchUpdates", "delete § [2] fade",
        "performBatchUpdates", "reload [[1, 0]] fade",
      ])
  }

  @Test func headersMoveAndReloadByTheirSections() {
    let app = ViewApp([])
    app.collectionView.show(on: UIWindow())
    let states = ["Utah", "Maine", "Iowa"].map { ListSection(State(id: $0), items: [Park]()) }
    app.states = states
    app.showSections([states[2], states[0], states[1]])
    #expect(app.collectionView.calls == ["performBatchUpdates", "move § 2 to 0"])
  }

  @Test func repeatedSectionsAreReloaded() {
    let app = ViewApp([])
    app.collectionView.show(on: UIWindow())
    let twice = ["Utah", "Utah"].map { ListSection(State(id: $0), items: [Park]()) }
    app.showSections(twice)
    #expect(app.collectionView.calls == ["reloadData"])
    #expect(app.states == twice)
  }

  @Test func viewWithoutAWindowIsReloaded() {
    let app = ViewApp(old)
    app.showInCollectionView(new)
    app.showInTableView(old)
    #expect(app.collectionView.calls == ["reloadData"])
    #expect(app.tableView.calls == ["reloadData"])
  }

  @Test func moreThan500OperationsAreReloadedByDefault() {
    let app = ViewApp([])
    app.collectionView.show(on: UIWindow())
    app.showInCollectionView((1...500).map { Park(id: "\($0)") })
    #expect(app.collectionView.calls.first == "performBatchUpdates")
    app.showInCollectionView((501...1_001).map { Park(id: "\($0)") })
    #expect(app.collectionView.calls.last == "reloadData")
  }

  @Test func completionWaitsForEveryBatch() {
    /// A view whose animations end when the test says so.
    final class SlowView: UICollectionView {
      var completions: [(Bool) -> Void] = []

      override func performBatchUpdates(
        _ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil
      ) {
        updates?()
        if let completion { completions.append(completion) }
      }
    }
    let view = SlowView()
    view.show(on: UIWindow())
    let old = [ListSection(State(id: "Utah"), items: [Park(id: "Zion")])]
    let new = [
      ListSection(State(id: "Utah"), items: [Park(id: "Zion", rating: 1)]),
      ListSection(State(id: "Maine"), items: [Park(id: "Acadia")]),
    ]
    var ends: [Bool] = []
    view.update(from: old, to: new) { _ in
    } completion: {
      ends.append($0)
    }
    #expect(view.completions.count == 2)
    view.completions[1](false)
    #expect(ends.isEmpty)
    view.completions[0](true)
    #expect(ends == [false])
  }

  @Test func diffableSnapshotReconfiguresTheUpdatedItems() throws {
    let app = ViewApp(old)
    try app.apply(new)
    #expect(app.dataSource.applied?.itemIdentifiers == ["d", "e", "b", "c", "f", "x"])
    #expect(app.dataSource.applied?.reconfiguredItemIdentifiers == ["d", "b"])
  }
}
