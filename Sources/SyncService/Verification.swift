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
    /// How many versions were looked at: those that are kept.
    public let versionCount: Int
  }

  /// The lists whose every version is what it was when it was committed.
  public let verified: [Verified]
  public let problems: [Problem]
}

/// How much of a store is looked at.
public enum VerificationDepth: Sendable {
  /// Every row, every step's place in the chain, every checkpoint, and whether kept changes can be
  /// read; checksums are followed from change to change, and made anew at checkpoints and at the
  /// head.
  case changes
  /// All of that, the checksum made anew from every item of every version, and kept changes
  /// compared with what the steps say.
  case everything
}

extension SyncService {
  /// Replays every version of every list, and compares counts, checksums, chains and checkpoints
  /// with what is stored; asks the store whether its file is sound and its rows keep their rules.
  ///
  /// - Parameter onProgress: called with each list and version before it is looked at.
  /// - Complexity: O(c) texts read and as many SHA-256 for c changes, and O(n) for each checkpoint
  ///   of n items; to every depth, O(v · n) SHA-256 for v versions.
  public func verify(
    depth: VerificationDepth = .changes,
    onProgress: @escaping @Sendable (ListName, Version) -> Void = { _, _ in }
  ) async throws -> VerificationReport {
    try await store.read { reader in
      let (lists, reasons) = try Self.listsAndProblems(of: reader)
      var problems = reasons.map {
        VerificationReport.Problem(list: nil, version: nil, reason: $0)
      }
      var verified: [VerificationReport.Verified] = []
      for list in lists {
        var verifier = ListVerifier(reader: reader, list: list, depth: depth)
        let found = verifier.problems(onProgress: onProgress)
        problems += found
        guard found.isEmpty else { continue }
        verified.append(
          .init(
            list: list.name, head: verifier.state,
            versionCount: list.head.number - list.oldest.number + 1))
      }
      return VerificationReport(verified: verified, problems: problems)
    }
  }

  /// The lists that can be found, and what is wrong with the file and with rows of no list. Where
  /// pages are damaged, what lies on the others is looked at all the same.
  private static func listsAndProblems(
    of reader: any ListReader
  ) throws -> ([ListRecord], [String]) {
    var reasons = try reader.integrityProblems()
    let isWhole = reasons.isEmpty
    do {
      reasons += try reader.strayRowProblems()
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
