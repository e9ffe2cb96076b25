#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One batch in the index paths of UIKit and AppKit.
public typealias IndexPathUpdates = PlacedUpdates<IndexPath>

extension BatchUpdates {
  /// The same batch for a section that the batch itself neither moves, inserts nor deletes.
  public func indexPaths(inSection section: Int) -> IndexPathUpdates { map { [section, $0] } }
}

extension Sequence<Int> {
  /// Index paths `[section, index]`, in this order, like ArrayUpdater's method of this name.
  public func indexPaths(inSection section: Int) -> [IndexPath] { map { [section, $0] } }
}
