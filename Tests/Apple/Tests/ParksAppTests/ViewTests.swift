#if canImport(UIKit) && !os(watchOS)
  import ListChanges
  import ParksApp
  import SwiftUI
  import UIKit
  import XCTest

  /// The views of the system show each new list. A wrong batch ends the process with an exception.
  final class ViewTests: XCTestCase {
    private static let frame = CGRect(x: 0, y: 0, width: 400, height: 800)

    /// Every order of every part of three parks.
    private static let ids = [
      [], ["a"], ["b"], ["c"], ["a", "b"], ["b", "a"], ["a", "c"], ["c", "a"], ["b", "c"],
      ["c", "b"], ["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"], ["b", "c", "a"],
      ["c", "a", "b"], ["c", "b", "a"],
    ]

    /// All pairs of old and new lists. Every second pair also changes all parks.
    private static let pairs: [(old: [Park], new: [Park])] = ids.flatMap { old in
      ids.enumerated().map { index, new in
        (old.map { Park($0) }, new.map { Park($0, rating: index % 2) })
      }
    }

    private static let sectionPairs: [(old: Parks, new: Parks)] = [
      ([], [ListSection(Region("Utah"), items: [Park("Arches"), Park("Zion")])]),
      (
        [
          ListSection(Region("Utah"), items: [Park("Arches"), Park("Zion")]),
          ListSection(Region("Maine"), items: [Park("Acadia")]),
        ],
        [
          ListSection(Region("Alaska"), items: [Park("Denali")]),
          ListSection(Region("Utah"), items: [Park("Zion", rating: 1), Park("Acadia")]),
        ]
      ),
      (
        [
          ListSection(Region("Maine"), items: [Park("Acadia")]),
          ListSection(Region("Utah"), items: [Park("Zion")]),
        ],
        [
          ListSection(Region("Utah"), items: [Park("Acadia", rating: 1)]),
          ListSection(Region("Maine"), items: [Park("Zion")]),
        ]
      ),
    ]

    @MainActor func testCollectionViewShowsEachNewList() async {
      for pair in Self.pairs {
        let source = ParksSource()
        source.parks = pair.old
        let view = source.makeCollectionView(in: Self.frame)
        let window = show(view)
        await finished {
          view.update(
            from: pair.old, to: pair.new, inSection: 0, setData: { source.parks = $0 },
            completion: $0)
        }
        XCTAssertEqual(labels(of: view), [pair.new.map(\.label)])
        window.isHidden = true
      }
    }

    @MainActor func testTableViewShowsEachNewList() async {
      for pair in Self.pairs {
        let source = ParksSource()
        source.parks = pair.old
        let view = source.makeTableView(in: Self.frame)
        let window = show(view)
        await finished {
          view.update(
            from: pair.old, to: pair.new, inSection: 0, with: .automatic,
            setData: { source.parks = $0 }, completion: $0)
        }
        XCTAssertEqual(labels(of: view), [pair.new.map(\.label)])
        window.isHidden = true
      }
    }

    @MainActor func testCollectionViewShowsNewSections() async {
      for pair in Self.sectionPairs {
        let source = ParksSource()
        source.sections = pair.old
        let view = source.makeCollectionView(in: Self.frame)
        let window = show(view)
        await finished {
          view.update(
            from: pair.old, to: pair.new, setData: { source.sections = $0 }, completion: $0)
        }
        XCTAssertEqual(labels(of: view), pair.new.map { $0.items.map(\.label) })
        window.isHidden = true
      }
    }

    @MainActor func testSwiftUIShowsANewList() async throws {
      let controller = UIHostingController(rootView: ParksView([Park("a"), Park("b")]))
      let window = UIWindow(frame: Self.frame)
      window.rootViewController = controller
      window.isHidden = false
      window.layoutIfNeeded()
      let new = [Park("b", rating: 1), Park("c")]
      controller.rootView = ParksView(new)
      // SwiftUI calls updateUIView when it next lays out its views.
      try await Task.sleep(for: .seconds(1))
      let view = try XCTUnwrap(collectionView(in: controller.view))
      XCTAssertEqual(labels(of: view), [new.map(\.label)])
    }

    @MainActor private func show(_ view: UIView) -> UIWindow {
      let window = UIWindow(frame: Self.frame)
      window.addSubview(view)
      window.isHidden = false
      view.layoutIfNeeded()
      return window
    }

    /// Waits for the completion of an update.
    @MainActor private func finished(_ update: (@escaping (Bool) -> Void) -> Void) async {
      await withCheckedContinuation { finished in update { _ in finished.resume() } }
    }

    @MainActor private func collectionView(in view: UIView) -> UICollectionView? {
      view as? UICollectionView
        ?? view.subviews.lazy.compactMap { self.collectionView(in: $0) }.first
    }

    @MainActor private func labels(of view: UICollectionView) -> [[String?]] {
      view.layoutIfNeeded()
      return (0..<view.numberOfSections).map { section in
        (0..<view.numberOfItems(inSection: section)).map { index in
          view.cellForItem(at: [section, index])?.accessibilityLabel
        }
      }
    }

    @MainActor private func labels(of view: UITableView) -> [[String?]] {
      view.layoutIfNeeded()
      return (0..<view.numberOfSections).map { section in
        (0..<view.numberOfRows(inSection: section)).map { index in
          view.cellForRow(at: [section, index])?.accessibilityLabel
        }
      }
    }
  }
#endif
