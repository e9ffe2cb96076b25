public import Foundation

// The same for AppKit's collection view, which has sets of index paths, and another label.

@MainActor open class NSView {
  public var calls: [String] = []

  public init() {}

  open var window: NSWindow? { screen }

  private var screen: NSWindow?
  public func show(on window: NSWindow) { screen = window }

  /// AppKit's returns a proxy, whose calls are animated.
  open func animator() -> Self { self }
}

@MainActor open class NSWindow { public init() {} }

open class NSCollectionView: NSView {
  open func reloadData() { calls.append("reloadData") }

  open func performBatchUpdates(
    _ updates: (() -> Void)?, completionHandler: ((Bool) -> Void)? = nil
  ) {
    calls.append("performBatchUpdates")
    updates?()
    completionHandler?(true)
  }

  open func insertItems(at indexPaths: Set<IndexPath>) {
    calls.append("insert \(indexPaths.sorted())")
  }
  open func deleteItems(at indexPaths: Set<IndexPath>) {
    calls.append("delete \(indexPaths.sorted())")
  }
  open func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) {
    calls.append("move \(indexPath) to \(newIndexPath)")
  }
  open func reloadItems(at indexPaths: Set<IndexPath>) {
    calls.append("reload \(indexPaths.sorted())")
  }

  open func insertSections(_ sections: IndexSet) { calls.append("insert § \(Array(sections))") }
  open func deleteSections(_ sections: IndexSet) { calls.append("delete § \(Array(sections))") }
  open func moveSection(_ section: Int, toSection newSection: Int) {
    calls.append("move § \(section) to \(newSection)")
  }
  open func reloadSections(_ sections: IndexSet) { calls.append("reload § \(Array(sections))") }
}
