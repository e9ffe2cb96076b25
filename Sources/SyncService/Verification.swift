import ListChanges
import ListModel
import ListStore

/// The result of a verification.
public struct VerificationReport: Equatable, Sendable {
  public struct Fault: Equatable, Sendable {
    /// Nil for a fault of the whole file.
    public let list: ListName?
    /// Nil for a fault of no single version.
    public let version: Version?
    public let reason: String
  }

  public struct Verified: Equatable, Sendable {
    public let list: ListName
    public let head: ListState
    /// The number of versions that are kept, all of which were verified.
    public let versionCount: Int
  }

  /// The lists without a fault.
  public let verified: [Verified]
  public let faults: [Fault]
}

/// The extent of a verification.
public enum VerificationDepth: Sendable {
  /// Every row, the chain of every step, every checkpoint, and whether kept changes can be read.
  /// Roots are updated change by change, and computed from all items at checkpoints and at the
  /// head.
  case changes
  /// Also the root of all items at every version, and whether kept changes equal the composed
  /// steps.
  case everything
}

extension SyncService {
  /// Replays every version of every list, and compares counts, roots, chains and checkpoints
  /// with the stored ones. Also checks the file and the structure of its rows.
  ///
  /// - Parameters:
  ///   - name: the only list to be verified; nil for all.
  ///   - depth: the extent.
  ///   - onProgress: called with each list and version before it is verified.
  /// - Throws: `ServiceError.noSuchList` or `.gone`; `StoreError` when the store could not be read
  ///   for another reason than a fault.
  /// - Complexity: O(c) texts read and O(c) SHA-256 for c changes, and O(n) for each checkpoint of
  ///   n items. With `.everything`, O(v · n) SHA-256 for v versions.
  public func verify(
    _ name: ListName? = nil, depth: VerificationDepth = .changes,
    onProgress: @escaping @Sendable (ListName, Version) -> Void = { _, _ in }
  ) async throws -> VerificationReport {
    // In a store on several machines, a list that moves at the moment may look damaged.
    for _ in 1..<3 {
      let (report, isCertain) = try await store.read { reader in
        let report = try Self.report(of: reader, name, depth: depth, onProgress: onProgress)
        return (report, report.faults.isEmpty || reader.seesOneState)
      }
      if isCertain { return report }
    }
    return try await store.read { reader in
      try Self.report(of: reader, name, depth: depth, onProgress: onProgress)
    }
  }

  private static func report(
    of reader: ListReader, _ name: ListName?, depth: VerificationDepth,
    onProgress: (ListName, Version) -> Void
  ) throws -> VerificationReport {
    let (lists, reasons) = try listsAndFaults(of: reader)
    let chosen = try name.map { [try reader.existingList($0)] } ?? lists
    var faults = reasons.map {
      VerificationReport.Fault(list: nil, version: nil, reason: $0)
    }
    var verified: [VerificationReport.Verified] = []
    for list in chosen {
      var verifier = ListVerifier(reader: reader, list: list, depth: depth)
      let found = try verifier.faults(onProgress: onProgress)
      faults += found
      guard found.isEmpty else { continue }
      verified.append(
        .init(
          list: list.name, head: verifier.state,
          versionCount: list.head.number - list.oldest.number + 1))
    }
    return VerificationReport(verified: verified, faults: faults)
  }

  /// The lists that can be read, and the faults of the file and of rows that belong to no list.
  /// With some pages damaged, the other pages are still verified.
  private static func listsAndFaults(of reader: ListReader) throws -> ([ListRecord], [String]) {
    var reasons = try reader.integrityFaults()
    let isWhole = reasons.isEmpty
    do {
      reasons += try reader.strayRowFaults()
    } catch {
      if isWhole { throw error }
    }
    do {
      return (try reader.lists(), reasons)
    } catch {
      if isWhole { throw error }
      return ([], reasons + ["its lists cannot be read"])
    }
  }
}
