import ListChanges
import ListModel
import ListStore

/// What a verification found.
public struct VerificationReport: Equatable, Sendable {
  public struct Problem: Equatable, Sendable {
    /// Nil where the file as a whole is at fault.
    public let list: ListName?
    /// Nil where no single version is at fault.
    public let version: Version?
    public let reason: String
  }

  public struct Verified: Equatable, Sendable {
    public let list: ListName
    public let head: ListState
  }

  /// The lists whose every version is what it was when it was committed.
  public let verified: [Verified]
  public let problems: [Problem]
}

extension SyncService {
  /// Replays every version of every list, and compares counts, checksums and chains with what is
  /// stored; asks the store whether its file is sound.
  ///
  /// - Parameter onProgress: called with each list and version before it is looked at.
  /// - Complexity: O(v · n) SHA-256 for v versions of n items.
  public func verify(
    onProgress: @escaping @Sendable (ListName, Version) -> Void = { _, _ in }
  ) async throws -> VerificationReport {
    try await store.read { reader in
      var problems = try reader.integrityProblems().map {
        VerificationReport.Problem(list: nil, version: nil, reason: $0)
      }
      var verified: [VerificationReport.Verified] = []
      for list in try reader.lists() {
        var verifier = ListVerifier(reader: reader, list: list)
        if let problem = verifier.firstProblem(onProgress: onProgress) {
          problems.append(problem)
        } else {
          verified.append(.init(list: list.name, head: verifier.state))
        }
      }
      return VerificationReport(verified: verified, problems: problems)
    }
  }
}

/// Replays one list from the empty one.
private struct ListVerifier {
  let reader: any ListReader
  let list: ListRecord
  private(set) var state = ListState.zero
  private var chain = Chain.zero
  private var stored: [StoredItem] = []

  init(reader: any ListReader, list: ListRecord) {
    self.reader = reader
    self.list = list
  }

  mutating func firstProblem(
    onProgress: (ListName, Version) -> Void
  ) -> VerificationReport.Problem? {
    guard list.head > .zero else { return nil }
    for number in 1...list.head.number {
      let version = Version(number)
      onProgress(list.name, version)
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
    guard let step = try reader.steps(version...version, of: list.key).first?.changes else {
      return "its step is missing"
    }
    let named = try reader.named(step) { stored[$0] }
    stored = try stored.applying(step)
    let snapshot = try Snapshot(reader.items(stored))
    let checksum = Checksum(of: snapshot)
    if ChangeCounts(named) != record.changes { return "its counts of changes do not fit" }
    if step != step.canonical() { return "its moves are not the canonical ones" }
    if checksum != record.checksum { return "its checksum does not fit" }
    chain = chain.extended(by: named, to: version, checksum: checksum, note: record.note)
    if chain != record.chain { return "its chain does not fit" }
    state = record.state
    return nil
  }
}
