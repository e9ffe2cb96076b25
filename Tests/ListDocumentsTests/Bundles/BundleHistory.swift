import Hashing
import ListChanges
import ListModel
import TestSupport

@testable import ListDocuments

/// A list's history from the empty list on, as the source of bundles.
struct BundleHistory {
  private(set) var snapshots = [Snapshot.empty]
  /// `states[n]` is the state of version n.
  private(set) var states = [ListState.zero]
  /// `steps[n]` leads from version n to n + 1.
  private(set) var steps: [DeltaDocument] = []
  /// `records[n]` is the record of version n + 1.
  private(set) var records: [VersionRecord] = []

  mutating func commit(_ snapshot: Snapshot, _ note: CommitNote) {
    let changes = snapshots[snapshots.count - 1].changes(to: snapshot)
    let before = states[states.count - 1]
    let root = Root(of: snapshot)
    let version = before.version.next
    let record = VersionRecord(
      version: version, note: note, count: snapshot.items.count,
      changes: ChangeCounts(changes), root: root,
      previous: before.chain ?? .zero)
    snapshots.append(snapshot)
    states.append(record.state)
    records.append(record)
    steps.append(
      DeltaDocument(
        list: Parks.name, from: before, to: record.state, oldest: nil,
        changes: BareChanges(changes)))
  }

  /// The parks of the documentation as versions 1 and 2, and an empty version 3.
  static func parks() throws -> BundleHistory {
    var history = BundleHistory()
    let times = [1_790_000_000_000, 1_790_086_400_250, 1_790_172_800_000].map {
      Timestamp(millisecondsSince1970: $0)
    }
    history.commit(try Parks.old(), CommitNote(time: times[0], author: "Ann", message: "Spring"))
    history.commit(try Parks.new(), CommitNote(time: times[1], author: "Ben \"B\" é"))
    history.commit(.empty, CommitNote(time: times[2], message: "Closed\nfor winter"))
    return history
  }

  /// A few random versions, each different from the one before.
  static func random(_ random: inout SeededRandom) throws -> BundleHistory {
    var history = BundleHistory()
    var snapshot = Snapshot.empty
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let next = try random.edited(snapshot, pool: 12)
      guard next != snapshot else { continue }
      let time = Timestamp(
        millisecondsSince1970: .random(
          in: -62_135_596_800_000...253_402_300_799_999, using: &random))
      history.commit(
        next,
        CommitNote(
          time: time, author: Bool.random(using: &random) ? nil : random.text(upTo: 3),
          message: Bool.random(using: &random) ? nil : random.text(upTo: 9)))
      snapshot = next
    }
    return history
  }

  enum Form: CaseIterable {
    case full, base, incremental
  }

  func header(_ form: Form, from first: Int = 0, to last: Int? = nil) throws -> BundleHeader {
    let start: BundleStart =
      switch form {
      case .full: .zero
      case .base: .base(records[first - 1])
      case .incremental: .prerequisite(states[first])
      }
    return BundleHeader(
      list: Parks.name, idRule: try IDRule(["id"]).text, start: start,
      target: states[last ?? states.count - 1])
  }

  func events(_ form: Form, from first: Int = 0, to last: Int? = nil) throws -> [BundleEvent] {
    var events: [BundleEvent] = [.header(try header(form, from: first, to: last))]
    if form == .base { events += snapshots[first].items.map { .item($0) } }
    return events + steps[first..<(last ?? steps.count)].map { .step($0) }
  }

  func bundle(_ form: Form, from first: Int = 0, to last: Int? = nil) throws -> [UInt8] {
    try written(events(form, from: first, to: last)).bytes
  }
}

extension Parks {
  static let name = ListName("parks")!
}

/// The bundle of events; the first event is a header.
func written(
  _ events: [BundleEvent], lineByteLimit: Int = Limit.lineBytes.standard
) throws -> (bytes: [UInt8], summary: BundleSummary) {
  guard case .header(let header)? = events.first else { preconditionFailure("no header") }
  var writer = try BundleWriter(header, lineByteLimit: lineByteLimit)
  var bytes = writer.takeBytes()
  for event in events.dropFirst() {
    try writer.append(event)
    bytes += writer.takeBytes()
  }
  let summary = try writer.finish()
  return (bytes + writer.takeBytes(), summary)
}

/// Reads a bundle in chunks of the given size.
func readBundle(
  _ bytes: [UInt8], by chunkByteCount: Int = .max,
  lineByteLimit: Int = Limit.lineBytes.standard
) throws(BundleError) -> (events: [BundleEvent], summary: BundleSummary) {
  var limits = Limits.none
  limits[.lineBytes] = lineByteLimit
  var reader = BundleReader(limits: limits)
  var events: [BundleEvent] = []
  for chunk in bytes.chunks(of: chunkByteCount) { events += try reader.read(chunk) }
  return (events, try reader.finish())
}

/// Lines with a matching last line, whatever their contents.
func sealed(_ lines: [String]) -> [UInt8] {
  let body = lines.map { $0 + "\n" }.joined()
  let digest = Hex.encode(SHA256.digest(of: Array(body.utf8)).bytes)
  return Array((body + #"{"lines":\#(lines.count),"sha256":"\#(digest)"}"# + "\n").utf8)
}

/// The first line of a bundle, without its end.
func line(of header: BundleHeader) -> String {
  String(decoding: header.line.dropLast(), as: UTF8.self)
}

/// All lines of a bundle except the last.
func lines(of bundle: [UInt8]) -> [String] {
  String(decoding: bundle, as: UTF8.self).split(separator: "\n").dropLast().map { String($0) }
}
