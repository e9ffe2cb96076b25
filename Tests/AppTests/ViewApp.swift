// An app cannot make its views conform in another way.
// swift-format-ignore-file: AvoidRetroactiveConformances

import Foundation
import ListChanges
import UIKitStub

// page
extension UICollectionView: @retroactive BatchUpdatingView {}
extension UITableView: @retroactive BatchUpdatingTableView {}
// end

// page
extension NSCollectionView: @retroactive BatchUpdatingView {
  public func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)?) {
    animator().performBatchUpdates(updates, completionHandler: completion)
  }
  public func insertItems(at paths: [IndexPath]) { insertItems(at: Set(paths)) }
  public func deleteItems(at paths: [IndexPath]) { deleteItems(at: Set(paths)) }
  public func reloadItems(at paths: [IndexPath]) { reloadItems(at: Set(paths)) }
}
// end

struct Park: Identifiable, Equatable {
  let id: String
  var rating = 0
}

struct State: Identifiable, Equatable { let id: String }

/// An app with one view of each kind.
@MainActor final class ViewApp {
  let collectionView = UICollectionView()
  let tableView = UITableView()
  let macView = NSCollectionView()
  let dataSource = UICollectionViewDiffableDataSource<Int, Park.ID>()
  var parks: [Park]
  var states: [ListSection<State, Park>] = []
  /// The list as it came, and as the user has edited it since.
  var base: [Park]
  var edited: [Park]

  init(_ parks: [Park]) { (self.parks, base, edited) = (parks, parks, parks) }

  func showInCollectionView(_ new: [Park]) {
    // page
    collectionView.update(from: parks, to: new, inSection: 0) { self.parks = $0 }
    // end
  }

  func showInTableView(_ new: [Park]) {
    // page
    tableView.update(from: parks, to: new, inSection: 0, with: .automatic) { self.parks = $0 }
    // end
  }

  func showOnMac(_ new: [Park]) {
    macView.update(from: parks, to: new, inSection: 0) { self.parks = $0 }
  }

  func showSections(_ new: [ListSection<State, Park>]) {
    // page
    collectionView.update(from: states, to: new) { self.states = $0 }
    // end
  }

  func showSectionsInTableView(_ new: [ListSection<State, Park>]) {
    tableView.update(from: states, to: new, with: .fade) { self.states = $0 }
  }

  func show(news: [Park]) throws {
    // page
    let merge = try edited.merged(into: news, base: base, preferring: .mine)
    if let changes = merge.changes {
      let merged = try news.applying(changes)
      collectionView.update(from: parks, to: merged, inSection: 0) { self.parks = $0 }
    }
    // end
  }

  func apply(_ new: [Park]) throws {
    // page
    let changes = try parks.changes(to: new)
    var snapshot = NSDiffableDataSourceSnapshot<Int, Park.ID>()
    snapshot.appendSections([0])
    snapshot.appendItems(new.map(\.id))
    snapshot.reconfigureItems(changes.updated.map(\.new.id))
    parks = new
    dataSource.apply(snapshot)
    // end
  }
}
