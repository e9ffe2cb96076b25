import ListModel

/// Compares the versions of a history with kept cursors of it.
///
///     var comparison = HistoryComparison(kept)
///     for cursor in history { try comparison.compare(cursor) }
///     try comparison.finish()
public struct HistoryComparison {
  private let all: [Cursor]
  private var rest: ArraySlice<Cursor>
  private var lastEqual: Version?
  /// How many kept cursors are those of the history so far.
  public private(set) var equalCount = 0

  public init(_ kept: [Cursor]) {
    all = kept.sorted { $0.version < $1.version }
    rest = all[...]
  }

  /// The next version for which a cursor was kept; nil if there is none.
  public var nextVersion: Version? { rest.first?.version }

  /// - Parameter cursor: the cursor of the next version of the history. Versions for which no
  ///   cursor was kept may be left out.
  /// - Throws: `Divergence.otherCursor`.
  public mutating func compare(_ cursor: Cursor) throws(Divergence) {
    rest = rest.drop { $0.version < cursor.version }
    let last = lastEqual ?? .zero
    while let next = rest.first, next.version == cursor.version {
      guard next.names(cursor) else {
        throw .otherCursor(cursor, kept: next, after: last)
      }
      lastEqual = cursor.version
      equalCount += 1
      rest.removeFirst()
    }
  }

  /// - Throws: `Divergence.ends` when a cursor was kept of a version after the last one; `.pruned`
  ///   when no cursor could be compared.
  public func finish() throws(Divergence) {
    if let next = rest.first { throw .ends(before: next) }
    if lastEqual == nil, let newest = all.last { throw .pruned(newest) }
  }
}

/// Thrown when a history is not the one of which cursors were kept.
public enum Divergence: Error, Equatable, Sendable {
  /// Thrown at the first version that has another cursor than the kept one; `after` is the newest
  /// version before whose kept cursor is in the history.
  case otherCursor(Cursor, kept: Cursor, after: Version)
  /// Thrown when the history ends before the version of a kept cursor.
  case ends(before: Cursor)
  /// Thrown when the versions of all kept cursors are no longer there.
  case pruned(Cursor)
}

extension Divergence: CustomStringConvertible {
  public var description: String {
    switch self {
    case .otherCursor(let here, let kept, let last):
      """
      version \(here.version) has the cursor \(here.short), and \(kept.short) was kept; it differs \
      from \(last.next == here.version ? "" : "one of \(last.next) to ")\(here.version) on
      """
    case .ends(let kept): "it ends before version \(kept.version), of which \(kept.short) was kept"
    case .pruned(let kept):
      "it no longer has version \(kept.version), of which \(kept.short) was kept"
    }
  }
}
