import ListModel
import SyncService

/// The steps to versions, which are requested in order, newest or oldest first. Reads more and more
/// steps together, since a single step may need every block.
struct LogSteps {
  private static let mostCount = 1 << 14

  private let service: SyncService
  private let list: ListName
  private var known: [Version: Delta] = [:]
  private var last: Version?
  private var count = 1

  init(of list: ListName, _ service: SyncService) { (self.list, self.service) = (list, service) }

  /// The changes that made a version; nil if the version before it was pruned.
  mutating func step(to record: VersionRecord) async throws -> Delta? {
    let version = record.version
    let isAscending = last.map { $0 < version } ?? false
    last = version
    if known[version] == nil {
      let range =
        isAscending
        ? version...Version(version.number + count - 1)
        : Version(max(1, version.number - count + 1))...version
      let deltas = try await service.steps(to: range, of: list, keepsLast: !isAscending)
      known = Dictionary(
        deltas.map { ($0.to.cursor?.version ?? .zero, $0) }, uniquingKeysWith: { $1 })
      count = min(2 * count, Self.mostCount)
    }
    if let delta = known.removeValue(forKey: version), delta.to.cursor == record.cursor {
      return delta
    }
    do {
      return try await service.delta(
        of: list, since: .version(Version(version.number - 1)), to: .cursor(record.cursor))
    } catch ServiceError.tooOld {
      return nil
    }
  }
}
