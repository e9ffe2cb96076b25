import ListChanges
import ListModel
import ListStore

/// Replays one list, from the empty one or from the oldest version that is kept.
struct ListVerifier {
  private let reader: any ListReader
  private let list: ListRecord
  private let depth: VerificationDepth
  private(set) var state = ListState.zero
  private var chain = Chain.zero
  private var stored: [StoredItem] = []

  init(reader: any ListReader, list: ListRecord, depth: VerificationDepth) {
    self.reader = reader
    self.list = list
    self.depth = depth
  }

  mutating func firstProblem(
    onProgress: (ListName, Version) -> Void
  ) -> VerificationReport.Problem? {
    guard list.head > .zero else { return nil }
    for number in list.oldest.number...max(list.head.number, list.oldest.number) {
      let version = Version(number)
      onProgress(list.name, version)
      do {
        // Where a version's rows end is said by the next one, so a gap shows one too early.
        if version < list.head { _ = try reader.record(of: version.next, in: list) }
      } catch {
        return .init(list: list.name, version: version.next, reason: "it is missing")
      }
      do {
        if let reason = try mismatch(at: version) {
          return .init(list: list.name, version: version, reason: reason)
        }
      } catch StoreError.corrupt(let reason) {
        return .init(list: list.name, version: version, reason: reason)
      } catch {
        return .init(list: list.name, version: version, reason: "\(error)")
      }
    }
    return nil
  }

  /// Why a version is not what it says it is; nil when it is.
  private mutating func mismatch(at version: Version) throws -> String? {
    let record = try reader.record(of: version, in: list)
    if version < list.firstStep {
      try start(from: record)
    } else if let reason = try replay(record) {
      return reason
    }
    if let reason = try checkpointMismatch(at: version) { return reason }
    if try isMadeAnew(version), try Checksum(of: snapshot()) != record.checksum {
      return "its checksum does not fit"
    }
    state = record.state
    return nil
  }

  /// Starts at the floor of a pruned list, whose items are those of its checkpoint.
  private mutating func start(from record: VersionRecord) throws {
    stored = try reader.checkpoint(at: record.version, of: list.key)
    chain = record.chain
  }

  /// Why a step does not lead where its version says; nil when it does.
  private mutating func replay(_ record: VersionRecord) throws -> String? {
    let version = record.version
    guard let step = try reader.steps(version...version, of: list.key).first?.changes else {
      return "its step is missing"
    }
    let named = try reader.named(step) { stored[$0] }
    if ChangeCounts(named) != record.changes { return "its counts of changes do not fit" }
    if step != step.canonical() { return "its moves are not the canonical ones" }
    let (reader, before) = (reader, stored)
    stored = try before.applying(step)
    let checksum =
      named.isSmall
      ? try state.checksum.advanced(by: named) { try reader.checkedItems([before[$0]])[0] }
      : try Checksum(of: snapshot())
    if checksum != record.checksum { return "its checksum does not fit" }
    chain = chain.extended(by: named, to: version, checksum: checksum, note: record.note)
    return chain == record.chain ? nil : "its chain does not fit"
  }

  private func checkpointMismatch(at version: Version) throws -> String? {
    if try reader.newestCheckpoint(of: list.key, notAfter: version) == version,
      try reader.checkpoint(at: version, of: list.key) != stored
    {
      return "its checkpoint is not what the changes lead to"
    }
    if version == list.head, let order = try reader.headOrder(of: list),
      try order.items() != stored
    {
      return "the stored order of the head is not what the changes lead to"
    }
    return nil
  }

  private func isMadeAnew(_ version: Version) throws -> Bool {
    if depth == .everything || version == list.head || version < list.firstStep { return true }
    return try reader.newestCheckpoint(of: list.key, notAfter: version) == version
  }

  private func snapshot() throws -> Snapshot { try Snapshot(reader.items(of: stored)) }
}
