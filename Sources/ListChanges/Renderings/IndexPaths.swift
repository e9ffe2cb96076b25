#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A ``BatchUpdates`` with index paths of one section, as UIKit's and AppKit's calls take them.
public struct IndexPathUpdates: Equatable, Encodable, Sendable {
  public struct Move: Hashable, Encodable, Sendable {
    public let from: IndexPath
    public let to: IndexPath

    public init(from: IndexPath, to: IndexPath) {
      self.from = from
      self.to = to
    }
  }

  /// Before the batch, ascending.
  public let deleted: [IndexPath]
  /// After the batch, ascending.
  public let inserted: [IndexPath]
  /// `from` before the batch, `to` after it.
  public let moved: [Move]
  /// Before the batch, ascending.
  public let reloaded: [IndexPath]

  public init(_ updates: BatchUpdates, inSection section: Int) {
    deleted = updates.deleted.indexPaths(inSection: section)
    inserted = updates.inserted.indexPaths(inSection: section)
    moved = updates.moved.map {
      Move(from: [section, $0.from], to: [section, $0.to])
    }
    reloaded = updates.reloaded.indexPaths(inSection: section)
  }
}

extension BatchUpdates {
  /// The same batch for a section that neither moves nor is inserted or deleted in it.
  public func indexPaths(inSection section: Int) -> IndexPathUpdates {
    IndexPathUpdates(self, inSection: section)
  }
}

extension Sequence<Int> {
  /// Index paths `[section, index]`, in this order; the call is ArrayUpdater's.
  public func indexPaths(inSection section: Int) -> [IndexPath] {
    map { [section, $0] }
  }
}
