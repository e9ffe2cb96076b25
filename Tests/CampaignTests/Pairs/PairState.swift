import Foundation
import ListModel
import ListStore
import SQLiteStore
import SyncService
import TestSupport

/// A store's contents, except times, which differ from run to run.
struct PairState: Equatable, Sendable {
  private struct List: Equatable {
    let summary: ListSummary
    let idRule: String?
    /// With their chains, which prove every step.
    let log: [VersionRecord]
    /// Names and versions.
    let tags: [String]
    let prunes: [[Version]]
  }

  private var lists: [String: List] = [:]
  private var tokens: [String] = []
  /// Names, last cursors and new names of lists that were dropped or renamed.
  private var former: [String] = []

  init(at path: String) async throws {
    let store = try SQLiteStore(readingFrom: path)
    let service = SyncService(store: store) { Timestamp(Date()) }
    for summary in try await service.lists() {
      let name = summary.name
      lists[name.text] = List(
        summary: summary, idRule: try await service.idRule(of: name),
        log: try await service.log(of: name),
        tags: try await service.tags(of: name).map { "\($0.tag.name) \($0.tag.version)" }.sorted(),
        prunes: try await service.prunes(of: name).map { [$0.oldOldest, $0.newOldest] })
    }
    tokens = try await service.tokens().map(\.name.text).sorted()
    former = try await service.retiredLists().map {
      "\($0.name) \($0.cursor) \($0.newName?.text ?? "-")"
    }
  }

  /// The findings of a complete verification.
  static func faults(at path: String) async throws -> [String] {
    let service = SyncService(store: try SQLiteStore(readingFrom: path)) { Timestamp(Date()) }
    return try await service.verify(depth: .everything).faults.map { "\($0)" }
  }

  /// A short form for failures.
  var summary: String {
    let lists = lists.sorted { $0.key < $1.key }.map { name, list in
      let tags = list.tags.joined(separator: ", ")
      return "\(name) \(list.summary.oldest)-\(list.log.first?.version.number ?? 0) [\(tags)]"
    }
    return (lists + tokens + former).joined(separator: "; ")
  }
}
