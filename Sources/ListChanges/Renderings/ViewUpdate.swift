#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The ``IndexUpdate``s of several sections as index paths, compatible with ArrayUpdater 1.3.0.
public struct ViewUpdate: Equatable, Encodable, Sendable {
  /// In the new lists, ascending.
  public private(set) var insertions: [IndexPath]
  /// In the old lists, ascending.
  public private(set) var deletions: [IndexPath]
  /// In the old lists, ascending.
  public private(set) var reloads: [IndexPath]

  public static let noUpdate = ViewUpdate()

  /// Makes an update of index paths in any order; one given twice counts once.
  public init(
    insertions: [IndexPath] = [], deletions: [IndexPath] = [], reloads: [IndexPath] = []
  ) {
    self.insertions = Set(insertions).sorted()
    self.deletions = Set(deletions).sorted()
    self.reloads = Set(reloads).sorted()
  }

  public init(update: IndexUpdate, section: Int) {
    insertions = update.insertions.indexPaths(inSection: section)
    deletions = update.deletions.indexPaths(inSection: section)
    reloads = update.reloads.indexPaths(inSection: section)
  }

  public var hasChanges: Bool { self != .noUpdate }

  /// Adds the update of another section.
  public mutating func append(update: IndexUpdate, inSection section: Int) {
    self += ViewUpdate(update: update, section: section)
  }

  /// Unites two updates of the *same* step, such as those of two sections. For two successive steps
  /// use ``IndexUpdate/composed(with:)``.
  ///
  /// - Complexity: O(d log d) for the d paths of both.
  public static func += (left: inout ViewUpdate, right: ViewUpdate) {
    left = ViewUpdate(
      insertions: left.insertions + right.insertions,
      deletions: left.deletions + right.deletions, reloads: left.reloads + right.reloads)
  }

  /// The update of the way back: ``IndexUpdate/inverse`` of each section.
  ///
  /// - Precondition: Every path is `[section, item]`, and none is both reloaded and deleted.
  public var inverse: ViewUpdate {
    let groups = [insertions, deletions, reloads].map { paths in
      Dictionary(grouping: paths) { $0[0] }.mapValues { $0.map { $0[1] } }
    }
    var result = ViewUpdate()
    for section in Set(groups.flatMap(\.keys)) {
      let indexes = groups.map { $0[section] ?? [] }
      let update = IndexUpdate(insertions: indexes[0], deletions: indexes[1], reloads: indexes[2])
      result.append(update: update.inverse, inSection: section)
    }
    return result
  }
}
