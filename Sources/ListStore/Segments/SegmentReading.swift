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
    guard own == nil else { return [] }
    var found: Set<Int64> = []
    for text in texts {
      let end = front.partitioningIndex { $0.first > text.item }
      if end > 0 { found.insert(front[end - 1].block) }
      guard let content = text.content, content != text.item else { continue }
      let start = starts.partitioningIndex { $0.first > content }
      if start > 0 { found.insert(starts[start - 1].block) }
    }
    return found
  }
}

/// A search for texts in the blocks of a segment. The blocks of the front are read first, then
/// those of the back.
///
/// Complexity: O(t log t + c) for t texts and the c changes of their items that the blocks have.
struct SegmentReading {
  private let segment: Segment
  private let texts: [WantedText]
  /// The position of the step that wrote the content of each text; nil for a content that was
  /// written with its item, and where only the id is wanted.
  private let steps: [Int?]
  /// Whether the id, and the content, of each text are still to be found.
  private var (lacksID, lacksContent): ([Bool], [Bool])
  /// Texts of the front, on which those of the back may be based.
  private var bases: [Int64: [UInt8]] = [:]
  /// The texts whose contents are to be found in the back, by item: those of the newest steps
  /// first.
  private var textsOfBack: [Int64: [(number: Int, rank: Int)]] = [:]
  /// The number of contents of an item that are still to be found in the back.
  private var missingCounts: [Int64: Int] = [:]
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
    (self.segment, self.texts, self.steps, self.receive) = (segment, texts, steps, receive)
    lacksID = texts.map { $0.idPosition != nil }
    lacksContent = texts.map { $0.contentPosition != nil }
  }

  /// For each block of the front that may have wanted texts, its position among the places of the
  /// segment, and the positions of these texts.
  func wantedOfFront() -> [(place: Int, texts: [Int])] {
    var wanted: [Int: [Int]] = [:]
    for number in texts.indices where lacksID[number] || lacksContent[number] {
      // An item occurs at most once in the front.
      let end = segment.front.partitioningIndex { $0.first > texts[number].item }
      if end > 0 { wanted[end - 1, default: []].append(number) }
    }
    return wanted.sorted { $0.key < $1.key }.map { (place: $0.key, texts: $0.value) }
  }

  /// For each block of the back that may have wanted contents, its position among the segment's
  /// places and the items of these contents. An item with a long history may be in many blocks.
  mutating func wantedOfBack() -> [(place: Int, items: [Int64])] {
    for number in texts.indices where lacksContent[number] {
      let item = texts[number].item
      textsOfBack[item, default: []].append((number, Self.rank(steps[number])))
      missingCounts[item, default: 0] += 1
    }
    var wanted: [Int: [Int64]] = [:]
    for item in textsOfBack.keys {
      textsOfBack[item]!.sort { $0.rank > $1.rank }
      let places = segment.back.holding(item)
      // The text that introduced the item is in the last block.
      let isOldest = textsOfBack[item]!.allSatisfy { $0.rank == -1 }
      for place in isOldest ? places.suffix(1) : places {
        wanted[place, default: []].append(item)
      }
    }
    return wanted.sorted { $0.key < $1.key }.map { (place: $0.key, items: $0.value) }
  }

  /// Whether some content of an item was not found yet.
  func lacksTexts(of item: Int64) -> Bool { missingCounts[item] ?? 0 > 0 }

  /// Orders the steps that changed an item; the one that introduced it comes first.
  private static func rank(_ step: Int?) -> Int { step ?? -1 }

  /// Takes texts from a block of the front.
  mutating func readFront(
    _ block: ContentsBlock, _ numbers: [Int]
  ) throws(ByteReader.Malformed) {
    for number in numbers {
      guard let entry = block.entries(of: texts[number].item).first else { continue }
      try takeID(number, from: block, entry)
      guard lacksContent[number] else { continue }
      guard let touch = block.touches[entry.touches].first, let text = touch.text else { continue }
      let whole = try text.text(in: block.bytes, base: [])
      if touch.step == steps[number] {
        takeContent(number, whole)
      } else {
        bases[entry.item] = whole
      }
    }
  }

  /// Takes texts from a block of the back.
  mutating func readBack(
    _ block: ContentsBlock, _ items: [Int64]
  ) throws(ByteReader.Malformed) {
    for item in items {
      let texts = textsOfBack[item] ?? []
      for entry in block.entries(of: item) { try takeContents(texts, from: block, entry) }
    }
  }

  /// - Parameter texts: those of the entry's item.
  private mutating func takeContents(
    _ texts: [(number: Int, rank: Int)], from block: ContentsBlock, _ entry: ContentsBlock.Entry
  ) throws(ByteReader.Malformed) {
    let touches = block.touches[entry.touches]
    guard let newest = touches.first, let oldest = touches.last else { return }
    let start = texts.partitioningIndex { $0.rank <= Self.rank(newest.step) }
    var rest = texts[start...].prefix { $0.rank >= Self.rank(oldest.step) }
    if rest.isEmpty { return }
    cost += touches.count + rest.count
    let base = entry.hasBase ? bases[entry.item] : []
    // Both the touches and the texts go from the newest step to the oldest.
    var wanted = rest
    let found = try block.texts(of: entry, base: base ?? []) { touch in
      let rank = Self.rank(touch.step)
      while let text = wanted.first, text.rank > rank { wanted.removeFirst() }
      return wanted.first?.rank == rank
    }
    guard found.isEmpty || base != nil else { throw ByteReader.Malformed() }
    for (step, text) in found {
      while let next = rest.first, next.rank >= Self.rank(step) {
        if next.rank == Self.rank(step), lacksContent[next.number] {
          takeContent(next.number, text)
        }
        rest.removeFirst()
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

  private mutating func takeContent(_ number: Int, _ text: [UInt8]) {
    guard let position = texts[number].contentPosition else { return }
    lacksContent[number] = false
    missingCounts[texts[number].item]? -= 1
    receive(position, text)
  }
}
