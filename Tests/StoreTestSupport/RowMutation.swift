import ListModel
import TestSupport

@testable import ListStore

/// Changes some rows of a store as a hostile program would that knows the form of rows: afterwards,
/// all digests are right again.
package struct RowMutation {
  private var random: SeededRandom
  /// What was changed, for people.
  package private(set) var description = ""

  /// - Parameter number: makes the mutations of a seed differ.
  package init(seed: UInt64, number: Int) {
    random = SeededRandom(seed: seed &+ UInt64(number) &* 0xd1b5_4a32_d192_ed03)
  }

  /// Changes one to three rows.
  package mutating func run(in writer: ListWriter) throws {
    for _ in 0..<Int.random(in: 1...3, using: &random) { try changeRow(in: writer) }
  }

  private mutating func changeRow(in writer: ListWriter) throws {
    // Most tables have a few simple rows, and the log is where most can go wrong.
    let tables =
      LogTable.allCases + [.segments, .segments, .blocks, .blocks, .checkpoints, .lists]
    let table = tables.randomElement(using: &random) ?? .blocks
    var rows: [StoredRow] = []
    try writer.engine.rows(in: RowRange(of: table)) { row in
      rows.append(StoredRow(row))
      return true
    }
    guard let old = rows.randomElement(using: &random),
      let other = rows.randomElement(using: &random)
    else { return }
    let layout = table.layout
    var values = Array(old.values.prefix(layout.digestColumn - (layout.dataColumn == nil ? 0 : 1)))
    var data = layout.dataColumn.map { bytes(old.values[$0]) }
    let column = Int.random(in: 0...values.count, using: &random)
    if column == values.count || Bool.random(using: &random), let old = data {
      data = changed(old, in: table, another: layout.dataColumn.map { bytes(other.values[$0]) })
      // What the block unfolds to.
      if table == .blocks, Bool.random(using: &random) { values[2] = .integer(1 << 20) }
      if table == .segments, Bool.random(using: &random) { values[3] = .integer(1 << 20) }
    } else if column < values.count {
      values[column] = changed(values[column], another: other.values[column])
    }
    let new = StoredRow(of: table, values, data: data)
    if new == old { return }
    let names = layout.columns.map(\.name)
    description += "\(table) \(old.values.prefix(layout.keyColumnCount)): "
    description +=
      zip(names, zip(old.values, new.values)).filter { $1.0 != $1.1 }
      .map { "\($0) \(short($1.0)) -> \(short($1.1))" }.joined(separator: ", ") + "; "
    let key = Array(old.values.prefix(layout.keyColumnCount))
    let last = key[key.count - 1]
    try writer.engineWriter.delete(
      RowRange(.key(table), prefix: Array(key.dropLast()), from: last, through: last))
    try new.withRow(upTo: new.values.count) { try writer.engineWriter.replace($0, in: table) }
  }

  private func short(_ value: LogValue) -> String {
    if case .bytes(let bytes) = value { "\(bytes.count) bytes" } else { "\(value)" }
  }

  private func bytes(_ value: LogValue) -> [UInt8] {
    if case .bytes(let bytes) = value { bytes } else { [] }
  }

  private mutating func changed(_ value: LogValue, another: LogValue) -> LogValue {
    switch (value, Int.random(in: 0..<6, using: &random)) {
    case (_, 0): return another
    case (.bytes(let bytes), _): return .bytes(changed(bytes))
    case (.null, _): return .integer(Self.numbers.randomElement(using: &random) ?? 0)
    case (.integer(let number), 1...3):
      return .integer(number &+ [-2, -1, 1, 2].randomElement(using: &random)!)
    case (.integer(let number), 4):
      return .integer(number ^ (1 << Int64.random(in: 0..<64, using: &random)))
    case (.integer, _): return .integer(Self.numbers.randomElement(using: &random) ?? 0)
    }
  }

  private static let numbers: [Int64] = [
    0, 1, 2, 3, -1, 7, 255, 65_536, 1 << 31, 1 << 32 - 2, 1 << 32 - 1, 1 << 32, 1 << 62, .max, .min,
  ]

  private mutating func changed(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    guard !bytes.isEmpty else { return [.random(in: 0...255, using: &random)] }
    for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
      // The first bytes have lengths and counts.
      let end = Bool.random(using: &random) ? bytes.count : min(bytes.count, 12)
      let place = Int.random(in: 0..<end, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: bytes.removeLast(min(bytes.count, .random(in: 1...4, using: &random)))
      case 1: bytes.insert(.random(in: 0...255, using: &random), at: place)
      case 2: bytes.remove(at: place)
      case 3: bytes.insert(contentsOf: Self.hugeNumber, at: place)
      case 4, 5: bytes[place] = [0, 1, 2, 3, 127, 128, 255].randomElement(using: &random) ?? 0
      default: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
    }
    return bytes
  }

  /// 2⁶³ - 1, as a ``ByteWriter`` writes it.
  private static let hugeNumber: [UInt8] = Array(repeating: 0xFF, count: 8) + [0x7F]

  /// Changes data before it is deflated.
  private mutating func changed(
    _ data: [UInt8], in table: LogTable, another: [UInt8]?
  ) -> [UInt8] {
    if Int.random(in: 0..<8, using: &random) == 0, let another { return another }
    switch table {
    case .segments:
      return Bool.random(using: &random) ? changedSegment(data) : repacked(data)
    case .blocks: return repacked(data)
    case .checkpoints where CheckpointData.isPacked(data):
      return [0] + repacked(Array(data.dropFirst()))
    default: return changed(data)
    }
  }

  private mutating func repacked(_ data: [UInt8]) -> [UInt8] {
    guard let bytes = try? PackedData.unpack(data, upTo: .max) else { return changed(data) }
    if Int.random(in: 0..<24, using: &random) == 0 {
      return PackedData.pack(Array(repeating: .random(in: 0...2, using: &random), count: 1 << 24))
    }
    return PackedData.pack(changed(bytes))
  }

  /// Gives blocks, steps or changes of a segment to other places of it.
  private mutating func changedSegment(_ data: [UInt8]) -> [UInt8] {
    var limit = Segment.byteLimit
    let range = 1..<ListKey.largestSequence
    guard
      let segment = try? Segment(data, of: range, unfoldedByteCount: 1 << 20, limit: &limit)
    else { return changed(data) }
    var (stepCount, firstStep) = (segment.stepCount, segment.firstStep)
    var places = [segment.starts, segment.current, segment.older, segment.steps]
    let (one, other) = (
      Int.random(in: 0..<4, using: &random), Int.random(in: 0..<4, using: &random)
    )
    switch Int.random(in: 0..<6, using: &random) {
    case 0: stepCount = max(stepCount + Int.random(in: -2...2, using: &random), 0)
    case 1:
      places[0] = places[0].map { Segment.Place(first: $0.first + 1, block: $0.block) }
    case 2: places[one] += places[one].suffix(1)
    case 3: places[one] = []
    case 4: firstStep = segment.starts.last?.first ?? firstStep
    default: places.swapAt(one, other)
    }
    return Segment(
      changes: segment.changes, stepCount: stepCount, firstStep: firstStep, starts: places[0],
      current: places[1], older: places[2], steps: places[3], inlineBlocks: segment.inlineBlocks,
      byteCount: segment.byteCount, unfoldedByteCount: segment.unfoldedByteCount
    ).data
  }
}
