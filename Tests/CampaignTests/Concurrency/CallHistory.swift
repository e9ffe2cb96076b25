import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport

/// The calls that callers made on one list, and its final state.
///
/// The check never asks a store: whether the calls fit together depends only on values.
struct CallHistory {
  /// A list after all callers are done.
  struct FinalList {
    var oldest: Version
    /// The newest first.
    var log: [VersionRecord]
    var head: Snapshot
  }

  /// An acknowledged commit.
  struct Win {
    let call: RecordedCall
    let commit: RecordedCall.Commit

    var version: Version { commit.state.version }
  }

  let calls: [RecordedCall]
  let final: FinalList
  /// Ordered by version.
  let wins: [Win]
  /// The snapshots of versions 0, 1, 2 … according to the commits.
  let snapshots: [Snapshot]
  let roots: [Root]
  let pace: Pace

  init(calls: [RecordedCall], final: FinalList) {
    self.calls = calls
    self.final = final
    let wins = calls.compactMap { call in
      if case .committed(let commit) = call.outcome { Win(call: call, commit: commit) } else { nil }
    }.sorted { $0.version < $1.version }
    self.wins = wins
    snapshots = wins.reduce(into: [.empty]) { snapshots, win in
      snapshots.append(win.commit.change.applied(to: snapshots[snapshots.count - 1]))
    }
    roots = snapshots.map { Root(of: $0) }
    pace = Pace(calls, wins)
  }

  /// All contradictions; empty when the store kept its promises to all callers.
  func faults() -> [String] {
    let failures = calls.compactMap(\.failure)
    // If numbers do not identify versions, no other check makes sense.
    let numbering = numberingFaults()
    guard numbering.isEmpty else { return failures + numbering }
    return failures + commitFaults() + readFaults() + pruningFaults() + finalFaults()
  }

  private func numberingFaults() -> [String] {
    let versions = wins.map(\.version.number)
    let twice = Set(zip(versions, versions.dropFirst()).filter { $0 == $1 }.map(\.0))
    let gaps = Set(1...max(1, versions.last ?? 1)).subtracting(versions)
    return twice.sorted().map { "version \($0) was given to two commits" }
      + gaps.sorted().map { "version \($0) is nobody's" }
  }

  private func finalFaults() -> [String] {
    var faults: [String] = []
    let kept = wins.filter { $0.version >= final.oldest }
    if final.log.map(\.version) != kept.reversed().map(\.version) {
      faults.append("the log does not hold the acknowledged versions from \(final.oldest) on")
    }
    for (record, win) in zip(final.log, kept.reversed()) {
      let isSame =
        record.cursor == win.commit.state && record.root == win.commit.root
        && record.note.author == win.call.caller
        && record.note.message == "\(win.call.number)"
      if !isSame { faults.append("version \(record.version) is not what \(win.call.name) wrote") }
    }
    if final.head != snapshots.last {
      faults.append("the head is not what the commits make of each other")
    }
    if final.oldest != max(Version(1), pace.floors.before(.max)) {
      faults.append("the oldest version is \(final.oldest), which nobody pruned to")
    }
    return faults
  }
}

extension RecordedCall {
  var name: String { "call \(number) of \(caller)" }

  /// The unexpected error; nil for an answer or a permitted refusal.
  fileprivate var failure: String? {
    switch outcome {
    case .failed(let reason): return "\(name): \(reason)"
    case .busy:
      let seconds = Double(respondedAt - invokedAt) / 1e9
      return seconds < SQLiteStore.busyTimeoutSeconds
        ? "\(name) was told that the store is busy, after \(seconds) s" : nil
    default: return nil
    }
  }
}

/// The progress of a list up to a moment, as callers can know it.
struct Pace {
  /// Acknowledged versions: a later call sees them.
  let acknowledged: HighWater
  /// Requested versions: an earlier answer does not hold them.
  let invoked: HighWater
  /// The same for the oldest version.
  let floors: HighWater
  let invokedFloors: HighWater

  init(_ calls: [RecordedCall], _ wins: [CallHistory.Win]) {
    acknowledged = HighWater(wins.map { ($0.call.respondedAt, $0.version) })
    invoked = HighWater(wins.map { ($0.call.invokedAt, $0.version) })
    let prunings: [(call: RecordedCall, oldest: Version)] = calls.compactMap { call in
      if case .pruned(_, let oldest) = call.outcome { (call, oldest) } else { nil }
    }
    floors = HighWater(prunings.map { ($0.call.respondedAt, $0.oldest) })
    invokedFloors = HighWater(prunings.map { ($0.call.invokedAt, $0.oldest) })
  }
}
