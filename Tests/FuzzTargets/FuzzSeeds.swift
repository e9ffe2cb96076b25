import Gzip
import ListChanges
import ListDocuments
import ListModel

@testable import ListStore

/// Start inputs: the writers' output for a small history.
public enum FuzzSeeds {
  /// Versions 1, 2, 3 … of a list of a few parks, with moves, updates and unusual texts.
  static let snapshots: [Snapshot] = {
    let texts = [
      #"[{"id":"arches","name":"Arches"},{"id":"zion","n":[1,2.5,-3e-7,1e30,null,true]},"#
        + #"{"id":"é"}]"#,
      #"[{"id":"zion","n":[]},{"id":"\u0000\"\\/","name":"\ud83d\ude00"},{"id":"arches"}]"#,
      #"[{"id":7,"a":[0],"name":"x"},{"id":"arches","name":"Arches"}]"#,
    ]
    return texts.map { text in
      guard let read = try? SnapshotReader(options: SnapshotOptions()).read(Array(text.utf8)) else {
        preconditionFailure("a valid snapshot")
      }
      return read.snapshot
    }
  }()

  private static let name = ListName("parks")!
  private static let time = Timestamp(millisecondsSince1970: 1_790_000_000_250)

  private static let records: [VersionRecord] = {
    var (records, before): ([VersionRecord], Snapshot) = ([], .empty)
    for snapshot in snapshots {
      let changes = before.changes(to: snapshot)
      let note = CommitNote(time: time, author: "Ann", message: "\"Spring\"\n")
      let (version, root) = (Version(records.count + 1), Root(of: snapshot))
      records.append(
        VersionRecord(
          version: version, note: note, count: snapshot.items.count,
          changes: ChangeCounts(changes), root: root,
          previous: records.last?.chain ?? .zero))
      before = snapshot
    }
    return records
  }()

  /// All changes from one version to another; 0 is the empty list.
  private static func changes(from: Int, to: Int) -> ChangeSet<Item> {
    let old = from == 0 ? .empty : snapshots[from - 1]
    return old.changes(to: snapshots[to - 1])
  }

  private static func state(_ version: Int) -> ListState {
    version == 0 ? .zero : records[version - 1].state
  }

  static func seeds(of target: FuzzTarget) -> [[UInt8]] {
    switch target {
    case .json:
      snapshots.map(SnapshotDocument.encode) + [#"["a","b"]"#, "[]"].map { Array($0.utf8) }
    case .ndjson:
      snapshots.map { $0.items.flatMap { $0.content.bytes + [0x0A] } }
    case .csv:
      ["id,name\na,Arches\n\"b\",\"B\"\"x\r\ny\"\n", "id,name;x,,\r\n1,2,3,4,5\r\n\r\né,😀\r\n"].map
      {
        Array($0.utf8)
      }
    case .delta:
      deltas.map { DeltaDocument($0).encoded() }
    case .merge: deltas.map { MergeDocument($0).encoded() }
    case .edits: edits.map { Array($0.utf8) }
    case .snapshotDelta:
      snapshots.indices.map { index in
        SnapshotDelta(
          list: name, from: nil, to: state(index + 1), oldest: Version(1),
          snapshot: snapshots[index], reason: .first
        ).encoded()
      }
    case .bundle: bundles
    case .gzip:
      (bundles + [[], Array("a".utf8)]).map { bytes in
        let compressor = GzipCompressor()
        return compressor.compress(bytes) + compressor.finish()
      }
    case .part:
      [parts([1, 2, 3, 9, 8, 7]), parts(Array(1...300)), parts([5]) + parts([6, 4_000_000_000])]
    case .keptChanges:
      [changes(from: 0, to: 1), changes(from: 1, to: 2), changes(from: 2, to: 3)]
        .map(ChangeSetCoding.encode)
    case .idPart:
      [0, 1, 40].map { count in
        let entries = (0..<count).map {
          IDEntry(ItemID("i\($0)"), item: ItemKey(rawValue: Int64($0) + 1))
        }
        return IDPart(hashes: 0...IDPart.lastHash, entries: entries.sorted()).encoded
      }
    case .words: words.map { Array($0.utf8) }
    }
  }

  private static let deltas = [(0, 1), (1, 2), (2, 1), (2, 3)].map(delta)

  private static func delta(from: Int, to: Int) -> Delta {
    Delta(
      list: name, from: state(from), to: state(to), oldest: Version(1),
      changes: changes(from: from, to: to))
  }

  private static let edits = [
    """
    {"put":{"id":"arches","n":[1.50,{}]},"after":"zion"}
    {"put":[null],"id":"é","to":3}

    {"remove":"zion"}\r
     {"move":"a\\u0000","first":true}
    """,
    "\u{FEFF}{\"put\":{\"id\":7}}\n", "",
  ]

  private static func parts(_ sequences: [Int64]) -> [UInt8] {
    let list = ListKey(rawValue: 1)
    let items = sequences.map { sequence in
      StoredItem(
        id: ItemKey(list, sequence: sequence),
        content: ContentKey(list, sequence: sequence % 3 == 0 ? sequence + 11 : sequence))
    }
    return PartCoding.encode(items[...])
  }

  private static let bundles: [[UInt8]] = {
    let steps = snapshots.indices.map {
      DeltaDocument(delta(from: $0, to: $0 + 1))
    }
    let (rule, target) = (IDRule.standard.text, records[records.count - 1].state)
    func header(_ start: BundleStart) -> BundleEvent {
      .header(BundleHeader(list: name, idRule: rule, start: start, target: target))
    }
    let full = [header(.zero)] + steps.map { .step($0) }
    let based =
      [header(.base(records[1]))] + snapshots[1].items.map { .item($0) } + [.step(steps[2])]
    let later = [header(.prerequisite(records[0].state))] + steps[1...].map { .step($0) }
    return [full, based, later].map { events in
      guard let bytes = try? BundleTarget.write(events) else {
        preconditionFailure("a valid bundle")
      }
      return bytes
    }
  }()

  private static let key = SigningKey(
    "PRIVATE+KEY+lists.example+7e8913b8+AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB")!
  private static let note = HeadSigner([key]).note(of: name, at: records[0].state)!

  private static let words = [
    "\(key.verifier)", key.secretText, note,
    "7-3f9a1c2b7d4000000000000000000000", "head~2", "head", "2026-11-21",
    "2026-11-21T11:37:00.250+01:00",
    "1999-12-31T23:59:60Z", "parks.v1", "spring_2026", "/a~1b/~0/0", "", "30d", "8w", "12h", "1y",
    "id|/code", ".", #"a\|b"#, #"{"b":[1.50,"\u00e9",{}],"a":null}"#, "1e-400", "512",
    "5691057471f1089621b85309e8faf2db", String(repeating: "3f9a1c2b", count: 8),
  ]
}

extension FuzzTarget {
  /// Inputs that the target accepts.
  public var seeds: [[UInt8]] { FuzzSeeds.seeds(of: self) }
}
