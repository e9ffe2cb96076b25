import ArgumentParser
import Foundation
import ListModel
import ListStore
import PostgresStore
import SyncService

/// What commits and deltas cost in a store on a server, without the start of a program.
struct MeasureDatabase: AsyncParsableCommand {
  /// Median seconds.
  private struct Medians: Codable {
    let edit: Double
    let delta: Double
  }

  static let configuration = CommandConfiguration(
    abstract: "Measures an edit and a delta of a list in a PostgreSQL database.",
    shouldDisplay: false)

  @Argument var address: String
  @Argument(help: "The id of an item of the list.") var id: String
  @Option(help: "The version with the changes of the delta.") var version: Int
  @Option var rounds = 100

  func run() async throws {
    let store = try PostgresStore(address: address, createsMissing: false)
    let service = SyncService(store: store) { Timestamp(Date()) }
    var (edits, deltas) = (Samples(), Samples())
    for round in 0..<rounds {
      let content = try Content(json: #"{"id":"\#(id)","round":\#(round)}"#)
      let edit = Edit.put(Item(id: ItemID(id), content: content), nil)
      edits.add(
        try await Clock.measureAsync {
          try await service.commit(CommitRequest(list: ParkStore.list, edits: [edit]))
        }.1)
      let (from, to) = (Version(version - 1), Version(version))
      deltas.add(
        try await Clock.measureAsync {
          try await service.delta(of: ParkStore.list, since: .version(from), to: .version(to))
        }.1)
    }
    let medians = Medians(edit: edits.median, delta: deltas.median)
    print(String(decoding: try JSONEncoder().encode(medians), as: UTF8.self))
  }
}
