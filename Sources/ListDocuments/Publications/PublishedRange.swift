import ListModel

/// The versions of a delta in a publication: `base` to the power of `level` of them, from a
/// multiple of this number on.
///
/// So a client that is k versions behind needs about log k deltas, and each of them is the same
/// file for all clients.
public struct PublishedRange: Hashable, Sendable {
  public let base: Int
  /// 0 for a single step.
  public let level: Int
  public let index: Int

  /// - Precondition: The base is 2 or more, level and index are not negative, and the range ends at
  ///   a version that a list can have.
  public init(base: Int, level: Int, index: Int) {
    precondition(base >= 2 && level >= 0 && index >= 0, "no range of a publication")
    (self.base, self.level, self.index) = (base, level, index)
  }

  /// The number of versions.
  public var length: Int { (0..<level).reduce(1) { length, _ in length * base } }

  public var start: Version { Version(index * length) }
  public var end: Version { Version((index + 1) * length) }
}

/// The ranges of a publication.
public struct PublishedRanges: Equatable, Sendable {
  /// How many ranges of a level make one of the next; 2 or more.
  public let base: Int
  /// Longer ranges would have more bytes than the list.
  public let levelCount: Int

  public init(base: Int, levelCount: Int) { (self.base, self.levelCount) = (base, levelCount) }

  /// The longest range from a version on that ends at another one or before; nil if there is none.
  ///
  /// - Complexity: O(log n) for n versions between them.
  public func next(after start: Version, upTo end: Version) -> PublishedRange? {
    guard start < end, levelCount > 0 else { return nil }
    var (level, length) = (0, 1)
    while level + 1 < levelCount {
      let (longer, isTooLong) = length.multipliedReportingOverflow(by: base)
      guard !isTooLong, start.number % longer == 0, longer <= end.number - start.number else {
        break
      }
      (level, length) = (level + 1, longer)
    }
    return PublishedRange(base: base, level: level, index: start.number / length)
  }

  /// The ranges that lead from a version to another one, the longest where there is a choice.
  ///
  /// - Parameters:
  ///   - start: the version before the first range.
  ///   - end: the last version of the last range, unless there are too many.
  ///   - countLimit: the highest number of ranges; the first ones are given.
  public func way(
    from start: Version, to end: Version, countLimit: Int = .max
  ) -> [PublishedRange] {
    var (way, version): ([PublishedRange], Version) = ([], start)
    while way.count < countLimit, let range = next(after: version, upTo: end) {
      way.append(range)
      version = range.end
    }
    return way
  }

  /// The ranges of a level within two versions, ascending.
  public static func all(
    ofLevel level: Int, base: Int, from start: Version, to end: Version
  ) -> [PublishedRange] {
    let length = PublishedRange(base: base, level: level, index: 0).length
    let (first, last) = ((start.number + length - 1) / length, end.number / length)
    return (first..<max(first, last)).map { PublishedRange(base: base, level: level, index: $0) }
  }
}
