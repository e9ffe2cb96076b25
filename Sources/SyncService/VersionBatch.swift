import ListChanges
import ListModel
import ListStore

/// Some neighbouring versions with their steps, read with a few queries: one version at a time, the
/// queries cost more than the rows.
struct VersionBatch {
  let end: Version
  /// In ascending order; the step is nil where the version is kept without one.
  let versions: [(record: VersionRecord, step: ChangeSet<StoredItem>?)]

  private static let versionLimit = 64
  private static let changeLimit = 4096

  enum Outcome {
    case success(VersionBatch)
    /// What is wrong with the first version, or with the one after it.
    case failure(VerificationReport.Problem)
  }

  /// Reads the versions from one that is not after the head.
  static func read(
    from start: Version, of list: ListRecord, in reader: any ListReader
  ) -> Outcome {
    let end = end(from: start, of: list, in: reader)
    if start < end, let batch = try? VersionBatch(start...end, of: list, in: reader) {
      return .success(batch)
    }
    do {
      // Where a version's rows end is said by the next one, so a gap shows one too early.
      for version in [start, start.next] where version <= list.head {
        guard try !reader.versions(version...version, of: list.key).isEmpty else {
          return .failure(.init(list: list.name, version: version, reason: "it is missing"))
        }
      }
      return .success(try VersionBatch(start...start, of: list, in: reader))
    } catch {
      return .failure(
        .init(list: list.name, version: start, reason: reader.reason(of: error)))
    }
  }

  /// The last version, of those that come after, up to which there are few enough changes.
  private static func end(
    from start: Version, of list: ListRecord, in reader: any ListReader
  ) -> Version {
    var count = versionLimit
    while count > 1 {
      let end = min(list.head, Version(start.number + count - 1))
      if let changes = try? reader.changeCount(start...end, of: list.key), changes <= changeLimit {
        return end
      }
      count /= 4
    }
    return start
  }

  private init(
    _ range: ClosedRange<Version>, of list: ListRecord, in reader: any ListReader
  ) throws {
    let records = try reader.records(of: range, in: list)
    let first = max(range.lowerBound, list.firstStep)
    let steps =
      first <= range.upperBound ? try reader.steps(first...range.upperBound, of: list.key) : []
    let stepless = records.count - steps.count
    end = range.upperBound
    versions = records.enumerated().map { position, record in
      (record, position < stepless ? nil : steps[position - stepless].changes)
    }
  }
}
