import ListChanges

/// A request for texts of an item in the log.
struct WantedText {
  let item: Int64
  /// The change that wrote the content; nil if only the id is wanted.
  let content: Int64?
  /// The receiver's position for the id; nil if the id is not wanted.
  let idPosition: Int?
  /// The receiver's position for the content; nil if the content is not wanted.
  let contentPosition: Int?

  /// The change by which the segment that has the texts is found.
  var change: Int64 { content ?? item }
}

extension Segment {
  /// The rows of `blocks` that are read first for some texts.
  func firstBlocks(of texts: [WantedText]) -> Set<Int64> {
    guard inlineBlocks == nil else { return [] }
    var found: Set<Int64> = []
    for text in texts {
      let end = current.partitioningIndex { $0.first > text.item }
      if end > 0 { found.insert(current[end - 1].block) }
      guard let content = text.content, content != text.item else { continue }
      let start = starts.partitioningIndex { $0.first > content }
      if start > 0 { found.insert(starts[start - 1].block) }
    }
    return found
  }
}

/// A search for texts in the blocks of a segment. The blocks of current texts are read first, then
/// those of older ones.
///
/// Complexity: O(t log t + c) for t texts and the c changes of their items that the blocks have.
struct SegmentReading {
  /// An item of which texts are wanted.
  private struct WantedItem {
    let item: Int64
    /// The range of its texts in ``order``: those of the newest steps first.
    let texts: Range<Int>
    /// The number of contents that are still to be found.
    var missingCount: Int
    /// The item's current text, on which older ones may be based.
    var base: [UInt8]?
  }

  private let segment: Segment
  private let texts: [WantedText]
  /// The position of the step that wrote the content of each text; -1 for a content that was
  /// written with its item, and where only the id is wanted.
  private let steps: [Int]
  /// Whether the id, and the content, of each text are still to be found.
  private var (lacksID, lacksContent): ([Bool], [Bool])
  /// The positions of the texts, by item.
  private let order: [Int]
  /// Ascending.
  private var items: [WantedItem] = []
  /// The number of changes that were looked at one by one.
  private(set) var cost = 0
  private let receive: (_ position: Int, [UInt8]) -> Void

  /// - Parameters:
  ///   - segment: the segment.
  ///   - texts: the texts.
  ///   - steps: the step that wrote the content of each; nil for a content that was written with
  ///     its item, and where only the id is wanted.
  ///   - receive: receives the position of a text, and its bytes.
  init(
    _ segment: Segment, _ texts: [WantedText], steps: [Int?],
    _ receive: @escaping (_ position: Int, [UInt8]) -> Void
  ) {
    let steps = steps.map(Self.rank)
    (self.segment, self.texts, self.steps, self.receive) = (segment, texts, steps, receive)
    lacksID = texts.map { $0.idPosition != nil }
    lacksContent = texts.map { $0.contentPosition != nil }
    order = texts.indices.sorted {
      (texts[$0].item, steps[$1]) < (texts[$1].item, steps[$0])
    }
    var start = 0
    while start < order.count {
      let item = texts[order[start]].item
      let end = order[start...].firstIndex { texts[$0].item != item } ?? order.count
      let missing = order[start..<end].count { lacksContent[$0] }
      items.append(WantedItem(item: item, texts: start..<end, missingCount: missing))
      start = end
    }
  }

  /// For each block of current texts that may have wanted ones, its position among the places of
  /// the segment, and the range of the items.
  func wantedCurrent() -> [(place: Int, items: Range<Int>)] {
    var wanted: [(place: Int, items: Range<Int>)] = []
    var start = 0
    while start < items.count {
      // An item has at most one current text.
      let next = segment.current.partitioningIndex { $0.first > items[start].item }
      let limit = next < segment.current.count ? segment.current[next].first : .max
      let end = items[start...].partitioningIndex { $0.item >= limit }
      if next > 0 { wanted.append((next - 1, start..<end)) }
      start = end
    }
    return wanted
  }

  /// For each block of older texts that may have wanted ones, its position among the segment's
  /// places, and the items. An item with a long history may be in many blocks.
  func wantedOlder() -> [(place: Int, items: [Int])] {
    var found: [(place: Int, item: Int)] = []
    for (position, item) in items.enumerated() where item.missingCount > 0 {
      let places = segment.older.holding(item.item)
      // The text that introduced the item is in the last block.
      let isOldest = order[item.texts].allSatisfy { !lacksContent[$0] || steps[$0] == -1 }
      for place in isOldest ? places.suffix(1) : places { found.append((place, position)) }
    }
    found.sort { $0 < $1 }
    var wanted: [(place: Int, items: [Int])] = []
    for (place, item) in found {
      if wanted.last?.place != place { wanted.append((place, [])) }
      wanted[wanted.count - 1].items.append(item)
    }
    return wanted
  }

  /// Whether some content of an item was not found yet.
  func lacksTexts(of item: Int) -> Bool { items[item].missingCount > 0 }

  /// Orders the steps that changed an item; the one that introduced it comes first.
  private static func rank(_ step: Int?) -> Int { step ?? -1 }

  /// Takes texts from a block of current texts.
  mutating func readCurrent(
    _ block: ContentsBlock, _ wanted: Range<Int>
  ) throws(ByteReader.Malformed) {
    for position in wanted {
      guard let entry = block.entries(of: items[position].item).first else { continue }
      for number in order[items[position].texts] { try takeID(number, from: block, entry) }
      guard lacksTexts(of: position), let revision = block.revisions[entry.revisions].first,
        let text = try revision.text?.text(in: block.bytes, base: [])
      else { continue }
      for number in order[items[position].texts]
      where lacksContent[number] && steps[number] == Self.rank(revision.step) {
        takeContent(number, of: position, text)
      }
      items[position].base = text
    }
  }

  /// Takes texts from a block of older texts.
  mutating func readOlder(
    _ block: ContentsBlock, _ wanted: [Int]
  ) throws(ByteReader.Malformed) {
    for position in wanted {
      for entry in block.entries(of: items[position].item) {
        try takeContents(of: position, from: block, entry)
      }
    }
  }

  private mutating func takeContents(
    of position: Int, from block: ContentsBlock, _ entry: ContentsBlock.Entry
  ) throws(ByteReader.Malformed) {
    let revisions = block.revisions[entry.revisions]
    guard let newest = revisions.first, let oldest = revisions.last else { return }
    let (item, first, last) = (items[position], Self.rank(newest.step), Self.rank(oldest.step))
    // Both the revisions and the texts go from the newest step to the oldest.
    var next = order[item.texts].partitioningIndex { steps[$0] <= first }
    let end = order[next..<item.texts.upperBound].partitioningIndex { steps[$0] < last }
    if next == end { return }
    cost += revisions.count + end - next
    try block.texts(of: entry, base: item.base ?? []) { revision in
      let rank = Self.rank(revision.step)
      while next < end, steps[order[next]] > rank { next += 1 }
      return next < end && steps[order[next]] == rank
    } _: { _, text throws(ByteReader.Malformed) in
      guard !entry.hasBase || item.base != nil else { throw ByteReader.Malformed() }
      let rank = steps[order[next]]
      while next < end, steps[order[next]] == rank {
        if lacksContent[order[next]] { takeContent(order[next], of: position, text) }
        next += 1
      }
    }
  }

  private mutating func takeID(
    _ number: Int, from block: ContentsBlock, _ entry: ContentsBlock.Entry
  ) throws(ByteReader.Malformed) {
    guard lacksID[number], let position = texts[number].idPosition,
      let id = try block.id(of: entry)
    else { return }
    lacksID[number] = false
    receive(position, id)
  }

  private mutating func takeContent(_ number: Int, of item: Int, _ text: [UInt8]) {
    guard let position = texts[number].contentPosition else { return }
    lacksContent[number] = false
    items[item].missingCount -= 1
    receive(position, text)
  }
}
