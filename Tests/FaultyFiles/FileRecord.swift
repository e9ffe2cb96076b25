/// One file as the system shows it, and its possible states after a power cut.
///
/// Each sector written since the last sync may be on the disk or not, in any order.
struct FileRecord: Sendable {
  static let sectorByteCount = 512

  /// The bytes at the last sync.
  private(set) var durable: [UInt8]
  /// The bytes as the system shows them.
  private(set) var current: [UInt8]
  /// Whether the file's name, not only its bytes, survives a power cut.
  var isNameDurable: Bool
  /// The contents of each sector written since the last sync, after each of its writes.
  private(set) var unsynced: [Int: [[UInt8]]] = [:]
  /// The file's lengths since the last sync: it grows gradually, and is cut at once.
  private var byteCounts: [ClosedRange<Int>]

  /// A file on the disk.
  init(durable: [UInt8], isNameDurable: Bool = true) {
    self.durable = durable
    current = durable
    self.isNameDurable = isNameDurable
    byteCounts = [durable.count...durable.count]
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    guard !bytes.isEmpty else { return }
    let end = offset + bytes.count
    if current.count < end { current += [UInt8](repeating: 0, count: end - current.count) }
    current.withUnsafeMutableBytes {
      UnsafeMutableRawBufferPointer(rebasing: $0[offset..<end]).copyMemory(from: bytes)
    }
    noteLength()
    for sector in offset / Self.sectorByteCount...(end - 1) / Self.sectorByteCount {
      unsynced[sector, default: []].append(Array(Self.sector(sector, of: current)))
    }
  }

  mutating func truncate(to byteCount: Int) {
    if byteCount < current.count {
      current.removeLast(current.count - byteCount)
    } else {
      current += [UInt8](repeating: 0, count: byteCount - current.count)
    }
    noteLength()
  }

  mutating func sync() {
    durable = current
    unsynced = [:]
    byteCounts = [current.count...current.count]
    isNameDurable = true
  }

  private mutating func noteLength() {
    let last = byteCounts[byteCounts.count - 1]
    if current.count > last.upperBound {
      byteCounts[byteCounts.count - 1] = last.lowerBound...current.count
    } else if current.count < last.upperBound {
      byteCounts.append(current.count...current.count)
    }
  }

  private static func sector(_ number: Int, of bytes: [UInt8]) -> ArraySlice<UInt8> {
    let start = number * sectorByteCount
    return bytes[min(start, bytes.count)..<min(start + sectorByteCount, bytes.count)]
  }
}

extension FileRecord {
  /// The possible bytes of the file after a power cut.
  func image(using random: inout some RandomNumberGenerator) -> [UInt8] {
    let byteCount = imageByteCount(using: &random)
    let longest = byteCounts.map(\.upperBound).max() ?? 0
    var image = [UInt8](repeating: 0, count: max(longest, durable.count))
    image.replaceSubrange(0..<durable.count, with: durable)
    for (sector, states) in unsynced.sorted(by: { $0.key < $1.key }) {
      let start = sector * Self.sectorByteCount
      let state = states[Int.random(in: states.indices, using: &random)]
      let part: Range<Int> =
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1: 0..<0
        case 2, 3: 0..<state.count
        default: torn(state.count, using: &random)
        }
      for place in part { image[start + place] = state[place] }
    }
    return Array(image.prefix(byteCount))
  }

  /// The written part of a torn sector: its beginning or its end.
  private func torn(_ count: Int, using random: inout some RandomNumberGenerator) -> Range<Int> {
    let cut = Int.random(in: 0...count, using: &random)
    return Bool.random(using: &random) ? 0..<cut : cut..<count
  }

  private func imageByteCount(using random: inout some RandomNumberGenerator) -> Int {
    let range = byteCounts[Int.random(in: byteCounts.indices, using: &random)]
    return switch Int.random(in: 0..<3, using: &random) {
    case 0: range.lowerBound
    case 1: range.upperBound
    default: Int.random(in: range, using: &random)
    }
  }
}
