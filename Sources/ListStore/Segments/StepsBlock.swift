/// Change rows of a list that are next to each other, without their texts.
///
///     block    = runs items places contents   ; each is its length, a number, and that many bytes
///     runs     = *run                         ; rows of one kind and one version
///     run      = number                       ; 4 * the number of rows + the kind (``ChangeKind``)
///     items    = *item                        ; of each row
///     item     = 0                            ; of an insertion that introduces its item
///              / number                       ; of another insertion: 1 + `signed` as a number
///              / signed                       ; of other kinds: from the item before in the
///                                             ; run, at first from 0
///     places   = *place                       ; each from the one before in the run
///     place    = gap                          ; of a removal: the old index
///              / gap signed                   ; of a move: the old index, then the new from it
///              / gap                          ; of an insertion: the new index
///              / gap signed                   ; of an update: the new index, then the old from it
///     contents = *( [ old ] [ new ] )         ; insertions have no old one, removals no new one
///     old      = number                       ; changes back to the one that wrote it; 0 if that
///                                             ; one introduced the item
///     new      = number                       ; 0: this change wrote it; 1: the old one; 2: the
///                                             ; item's first one; else 2 + the changes back
///     gap      = number
///     number, signed                          ; as ByteWriter writes them
enum StepsBlock {
  /// Reads the rows of a block.
  ///
  /// - Parameters:
  ///   - bytes: a block.
  ///   - list: its list.
  ///   - first: the number of the first row.
  static func rows(
    _ bytes: [UInt8], of list: ListKey, from first: Int64
  ) throws(ByteReader.Malformed) -> [ChangeRow] {
    var reader = StepsReader(list, first: first)
    return try reader.rows(bytes)
  }
}

/// A writer of a ``StepsBlock``.
struct StepsBlockWriter {
  private var runs = ByteWriter()
  private var items = ByteWriter()
  private var places = ByteWriter()
  private var contents = ByteWriter()
  private var run: (kind: ChangeKind, count: Int)?
  private var item: Int64 = 0
  private var place = 0

  /// The approximate number of bytes of the block.
  var byteCount: Int {
    runs.bytes.count + items.bytes.count + places.bytes.count + contents.bytes.count
  }

  /// Ends a run at the end of a version.
  mutating func endVersion() {
    guard let run else { return }
    runs.write(count: 4 * run.count + Int(run.kind.rawValue))
    self.run = nil
  }

  /// Adds the next row.
  mutating func add(_ row: ChangeRow) {
    let place = (row.kind == .remove || row.kind == .move ? row.from : row.to) ?? 0
    if row.kind != run?.kind || place < self.place {
      endVersion()
      (item, self.place) = (0, 0)
    }
    run = (row.kind, (run?.count ?? 0) + 1)
    if row.kind == .insert {
      if row.introducesItem {
        items.write(count: 0)
      } else {
        items.write(count: Int((row.item.sequence - item).zigzag) + 1)
        item = row.item.sequence
      }
    } else {
      items.write(signed: row.item.sequence - item)
      item = row.item.sequence
    }
    places.write(count: place - self.place)
    self.place = place
    switch row.kind {
    case .move: places.write(signed: Int64((row.to ?? 0) - place))
    case .update: places.write(signed: Int64((row.from ?? 0) - place))
    case .insert, .remove: break
    }
    if let old = row.oldContent {
      contents.write(
        count: old.rawValue == row.item.rawValue ? 0 : Int(row.sequence - old.sequence))
    }
    if let new = row.newContent {
      if row.writesContent {
        contents.write(count: 0)
      } else if new == row.oldContent {
        contents.write(count: 1)
      } else if new.rawValue == row.item.rawValue {
        contents.write(count: 2)
      } else {
        contents.write(count: 2 + Int(row.sequence - new.sequence))
      }
    }
  }

  /// The block.
  var bytes: [UInt8] {
    var writer = ByteWriter()
    for column in [runs, items, places, contents] {
      writer.write(count: column.bytes.count)
      writer.write(column.bytes)
    }
    return writer.bytes
  }
}

private struct StepsReader {
  private let list: ListKey
  private var next: Int64
  private var items = ByteReader([])
  private var places = ByteReader([])
  private var contents = ByteReader([])
  private var item: Int64 = 0
  private var place = 0

  init(_ list: ListKey, first: Int64) { (self.list, next) = (list, first) }

  mutating func rows(_ bytes: [UInt8]) throws(ByteReader.Malformed) -> [ChangeRow] {
    var reader = ByteReader(bytes)
    var runs = try reader.part()
    (items, places, contents) = (try reader.part(), try reader.part(), try reader.part())
    var rows: [ChangeRow] = []
    while !runs.isAtEnd {
      let run = try runs.count(upTo: 4 * bytes.count + 3)
      guard run >= 4, let kind = ChangeKind(rawValue: Int64(run & 3)) else {
        throw ByteReader.Malformed()
      }
      (item, place) = (0, 0)
      for _ in 0..<run >> 2 { rows.append(try row(kind)) }
    }
    guard reader.isAtEnd, items.isAtEnd, places.isAtEnd, contents.isAtEnd else {
      throw ByteReader.Malformed()
    }
    return rows
  }

  private mutating func row(_ kind: ChangeKind) throws(ByteReader.Malformed) -> ChangeRow {
    let sequence = next
    guard list.holds(sequence) else { throw ByteReader.Malformed() }
    next += 1
    let code = try items.number()
    let own = kind == .insert && code == 0
    if !own {
      let (sum, overflows) = item.addingReportingOverflow(
        Int64(zigzag: kind == .insert ? code - 1 : code))
      guard !overflows, sum >= 1, sum < sequence else { throw ByteReader.Malformed() }
      item = sum
    }
    let item = own ? sequence : item
    place += try places.count(upTo: Self.largestIndex - place)
    var (from, to): (Int?, Int?) = (place, place)
    switch kind {
    case .remove: to = nil
    case .insert: from = nil
    case .move: to = try otherPlace()
    case .update: from = try otherPlace()
    }
    var (old, new): (Int64?, Int64?)
    if kind != .insert {
      let back = Int64(try contents.count(upTo: Int(sequence - 1)))
      old = back == 0 ? item : sequence - back
    }
    if kind != .remove {
      switch Int64(try contents.count(upTo: Int(sequence) + 1)) {
      case 0: new = sequence
      case 1: new = old
      case 2: new = item
      case let back: new = sequence - back + 2
      }
      if new == nil { throw ByteReader.Malformed() }
    }
    return ChangeRow(
      list: list, sequence: sequence, kind: kind, item: ItemKey(list, sequence: item), from: from,
      to: to, oldContent: old.map { ContentKey(list, sequence: $0) },
      newContent: new.map { ContentKey(list, sequence: $0) })
  }

  private static let largestIndex = Int(ListKey.largestSequence)

  private mutating func otherPlace() throws(ByteReader.Malformed) -> Int {
    let (other, overflows) = try Int64(place).addingReportingOverflow(places.signed())
    guard !overflows, (0...Int64(Self.largestIndex)).contains(other) else {
      throw ByteReader.Malformed()
    }
    return Int(other)
  }
}
