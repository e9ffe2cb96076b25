import ListChanges

/// A request for texts of an item in packed rows.
struct PackedText {
  let item: Int64
  /// The change that wrote the content; nil if only the id is wanted.
  let content: Int64?
  /// The receiver's position for the id; nil if the id is not wanted.
  let idPosition: Int?
  /// The receiver's position for the content; nil if the content is not wanted.
  let contentPosition: Int?

  /// The change by which the slice that has the texts is found.
  var change: Int64 { content ?? item }
}

/// A search for texts in the blocks of a slice. The blocks of the front are read first, then those
/// of the back.
struct SliceReading {
  private let slice: Slice
  private let texts: [PackedText]
  /// Whether the id, and the content, of each text are still to be found.
  private var (lacksID, lacksContent): ([Bool], [Bool])
  /// Texts of the front, on which those of the back may be based.
  private var bases: [Int64: [UInt8]] = [:]
  private let receive: (_ position: Int, [UInt8]) -> Void

  /// - Parameter receive: receives the position of a text, and its bytes.
  init(
    _ slice: Slice, _ texts: [PackedText], _ receive: @escaping (_ position: Int, [UInt8]) -> Void
  ) {
    (self.slice, self.texts, self.receive) = (slice, texts, receive)
    lacksID = texts.map { $0.idPosition != nil }
    lacksContent = texts.map { $0.contentPosition != nil }
  }

  /// For each block that may have wanted texts, its position among the slice's places and the
  /// positions of these texts.
  typealias Wanted = [(place: Int, texts: [Int])]

  func wantedOfFront() -> Wanted {
    wanted { item in
      // An item occurs at most once in the front.
      let end = slice.front.partitioningIndex { $0.first > item }
      return max(end - 1, 0)..<end
    }
  }

  func wantedOfBack() -> Wanted { wanted { slice.back.holding($0) } }

  private func wanted(_ holding: (Int64) -> Range<Int>) -> Wanted {
    var wanted: [Int: [Int]] = [:]
    for (number, text) in texts.enumerated() where lacksID[number] || lacksContent[number] {
      for place in holding(text.item) { wanted[place, default: []].append(number) }
    }
    return wanted.sorted { $0.key < $1.key }.map { (place: $0.key, texts: $0.value) }
  }

  /// Takes texts from a block of the front.
  mutating func readFront(
    _ block: ContentsBlock, _ numbers: [Int]
  ) throws(ByteReader.Malformed) {
    for number in numbers {
      guard let entry = block.entries(of: texts[number].item).first else { continue }
      try takeID(number, from: block, entry)
      guard lacksContent[number], let content = texts[number].content else { continue }
      guard let touch = block.touches[entry.touches].first, let text = touch.text else {
        throw ByteReader.Malformed()
      }
      let whole = try text.text(in: block.bytes, base: [])
      if touch.step == step(of: content, of: entry.item) {
        takeContent(number, whole)
      } else {
        bases[entry.item] = whole
      }
    }
  }

  /// Takes texts from a block of the back.
  mutating func readBack(
    _ block: ContentsBlock, _ numbers: [Int]
  ) throws(ByteReader.Malformed) {
    for number in numbers {
      for entry in block.entries(of: texts[number].item) {
        try takeID(number, from: block, entry)
        guard lacksContent[number], let content = texts[number].content else { continue }
        let step = step(of: content, of: entry.item)
        guard block.touches[entry.touches].contains(where: { $0.step == step && $0.text != nil })
        else { continue }
        let base = entry.hasBase ? bases[entry.item] : []
        guard let base else { throw ByteReader.Malformed() }
        let found = try block.texts(of: entry, base: base) { $0.step == step }
        if let text = found.first?.text { takeContent(number, text) }
      }
    }
  }

  /// Returns the step of the touch that wrote a content; nil for the one that introduced the item.
  private func step(of content: Int64, of item: Int64) -> Int? {
    content == item ? nil : slice.step(of: content)
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
    receive(position, text)
  }
}
