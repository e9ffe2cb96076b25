/// All that one `performBatchUpdates` is told, for items and for whole sections.
///
/// Deletions, reloads and the source of a move count in the sections and lists *before* the batch;
/// insertions and the target of a move in those *after* it. The order of each array means nothing.
public struct CollectionViewBatch: Equatable, Sendable {
  /// The place of an item: Foundation's `IndexPath` of two indexes.
  public struct Path: Hashable, Sendable {
    public let section: Int
    public let item: Int

    public init(section: Int, item: Int) {
      self.section = section
      self.item = item
    }
  }

  public struct Move<Place: Hashable & Sendable>: Hashable, Sendable {
    public let from: Place
    public let to: Place

    public init(from: Place, to: Place) {
      self.from = from
      self.to = to
    }
  }

  public var deleted: [Path] = []
  public var inserted: [Path] = []
  /// Also from one section to another.
  public var moved: [Move<Path>] = []
  public var reloaded: [Path] = []

  public var deletedSections: [Int] = []
  public var insertedSections: [Int] = []
  public var movedSections: [Move<Int>] = []
  public var reloadedSections: [Int] = []

  /// Makes a batch that does nothing.
  public init() {}
}
