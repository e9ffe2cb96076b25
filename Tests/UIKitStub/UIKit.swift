@_exported public import Foundation

// The declarations of UIKit that an app needs to show lists, with the signatures that Swift gives
// them in the SDK of iOS. Linux has no UIKit, so tests compile the code of apps against these, and
// read the calls that a view got.

@MainActor open class UIView {
  public var calls: [String] = []

  public init() {}
  public init(frame: CGRect) {}

  open var window: UIWindow? { screen }
  open var subviews: [UIView] { [] }
  open var isHidden = false
  open var accessibilityLabel: String?

  open func addSubview(_ view: UIView) {}
  open func layoutIfNeeded() {}

  private var screen: UIWindow?
  public func show(on window: UIWindow) { screen = window }
}

open class UIWindow: UIView { open var rootViewController: UIViewController? }

@MainActor open class UIViewController {
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var view: UIView!

  public init() {}
}

open class UIScrollView: UIView {}

@MainActor public protocol UICollectionViewDataSource: NSObjectProtocol {
  func numberOfSections(in collectionView: UICollectionView) -> Int
  func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int)
    -> Int
  func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath)
    -> UICollectionViewCell
}

@MainActor open class UICollectionViewLayout { public init() {} }

open class UICollectionViewFlowLayout: UICollectionViewLayout {
  open var itemSize = CGSize(width: 50, height: 50)
}

open class UICollectionViewCell: UIView {}

open class UICollectionView: UIScrollView {
  open weak var dataSource: (any UICollectionViewDataSource)?

  public override init() { super.init() }
  public init(frame: CGRect, collectionViewLayout layout: UICollectionViewLayout) {
    super.init(frame: frame)
  }

  open var numberOfSections: Int { 0 }
  open func numberOfItems(inSection section: Int) -> Int { 0 }
  open func cellForItem(at indexPath: IndexPath) -> UICollectionViewCell? { nil }
  open func register(_ cellClass: AnyClass?, forCellWithReuseIdentifier identifier: String) {}
  open func dequeueReusableCell(withReuseIdentifier identifier: String, for indexPath: IndexPath)
    -> UICollectionViewCell
  {
    UICollectionViewCell()
  }

  open func reloadData() { calls.append("reloadData") }

  open func performBatchUpdates(
    _ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil
  ) {
    calls.append("performBatchUpdates")
    updates?()
    completion?(true)
  }

  /// Swift imports an Objective-C method with a completion handler as this one, too.
  open func performBatchUpdates(_ updates: (() -> Void)?) async -> Bool {
    performBatchUpdates(updates, completion: nil)
    return true
  }

  open func insertItems(at indexPaths: [IndexPath]) { calls.append("insert \(indexPaths)") }
  open func deleteItems(at indexPaths: [IndexPath]) { calls.append("delete \(indexPaths)") }
  open func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) {
    calls.append("move \(indexPath) to \(newIndexPath)")
  }
  open func reloadItems(at indexPaths: [IndexPath]) { calls.append("reload \(indexPaths)") }
  open func reconfigureItems(at indexPaths: [IndexPath]) {}

  open func insertSections(_ sections: IndexSet) { calls.append("insert § \(Array(sections))") }
  open func deleteSections(_ sections: IndexSet) { calls.append("delete § \(Array(sections))") }
  open func moveSection(_ section: Int, toSection newSection: Int) {
    calls.append("move § \(section) to \(newSection)")
  }
  open func reloadSections(_ sections: IndexSet) { calls.append("reload § \(Array(sections))") }
}

@MainActor public protocol UITableViewDataSource: NSObjectProtocol {
  func numberOfSections(in tableView: UITableView) -> Int
  func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
  func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
}

open class UITableViewCell: UIView {}

open class UITableView: UIScrollView {
  public enum Style: Int, Sendable {
    case plain = 0
    case grouped = 1
    case insetGrouped = 2
  }

  open weak var dataSource: (any UITableViewDataSource)?

  public override init() { super.init() }
  public init(frame: CGRect, style: UITableView.Style) { super.init(frame: frame) }

  open var numberOfSections: Int { 0 }
  open func numberOfRows(inSection section: Int) -> Int { 0 }
  open func cellForRow(at indexPath: IndexPath) -> UITableViewCell? { nil }
  open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {}
  open func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath)
    -> UITableViewCell
  {
    UITableViewCell()
  }

  public enum RowAnimation: Int, @unchecked Sendable {
    case fade = 0
    case right = 1
    case left = 2
    case top = 3
    case bottom = 4
    case none = 5
    case middle = 6
    case automatic = 100
  }

  open func reloadData() { calls.append("reloadData") }

  open func performBatchUpdates(
    _ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil
  ) {
    calls.append("performBatchUpdates")
    updates?()
    completion?(true)
  }

  open func performBatchUpdates(_ updates: (() -> Void)?) async -> Bool {
    performBatchUpdates(updates, completion: nil)
    return true
  }

  open func insertRows(at indexPaths: [IndexPath], with animation: UITableView.RowAnimation) {
    calls.append("insert \(indexPaths) \(animation)")
  }
  open func deleteRows(at indexPaths: [IndexPath], with animation: UITableView.RowAnimation) {
    calls.append("delete \(indexPaths) \(animation)")
  }
  open func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) {
    calls.append("move \(indexPath) to \(newIndexPath)")
  }
  open func reloadRows(at indexPaths: [IndexPath], with animation: UITableView.RowAnimation) {
    calls.append("reload \(indexPaths) \(animation)")
  }
  open func reconfigureRows(at indexPaths: [IndexPath]) {}

  open func insertSections(_ sections: IndexSet, with animation: UITableView.RowAnimation) {
    calls.append("insert § \(Array(sections)) \(animation)")
  }
  open func deleteSections(_ sections: IndexSet, with animation: UITableView.RowAnimation) {
    calls.append("delete § \(Array(sections)) \(animation)")
  }
  open func moveSection(_ section: Int, toSection newSection: Int) {
    calls.append("move § \(section) to \(newSection)")
  }
  open func reloadSections(_ sections: IndexSet, with animation: UITableView.RowAnimation) {
    calls.append("reload § \(Array(sections)) \(animation)")
  }
}

public struct NSDiffableDataSourceSnapshot<
  SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
>: Sendable {
  public private(set) var itemIdentifiers: [ItemIdentifierType] = []
  public private(set) var reconfiguredItemIdentifiers: [ItemIdentifierType] = []

  public init() {}

  public mutating func appendSections(_ identifiers: [SectionIdentifierType]) {}
  public mutating func appendItems(
    _ identifiers: [ItemIdentifierType], toSection sectionIdentifier: SectionIdentifierType? = nil
  ) {
    itemIdentifiers += identifiers
  }
  public mutating func reconfigureItems(_ identifiers: [ItemIdentifierType]) {
    reconfiguredItemIdentifiers += identifiers
  }
}

@MainActor
open class UICollectionViewDiffableDataSource<
  SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
> {
  public private(set) var applied:
    NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>?

  public init() {}

  open func apply(
    _ snapshot: NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>,
    animatingDifferences: Bool = true, completion: (() -> Void)? = nil
  ) {
    applied = snapshot
    completion?()
  }
}
