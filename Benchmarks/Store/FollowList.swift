import ArgumentParser
import Foundation
import GRDB
import GRDBReplica
import ListModel
import SyncClient

/// The measures of one document that a replica got.
struct DocumentUse: Codable {
  let wallSeconds: Double
  let cpuSeconds: Double
  /// The growth of the process's memory above that before the document was given to the replica.
  let peakGrowth: Int

  var cost: Cost { Cost(wallSeconds: wallSeconds, cpuSeconds: cpuSeconds) }
}

/// Follows a list from documents in files, as a replica, and measures each document.
struct FollowList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow", abstract: "Follows a list from documents.", shouldDisplay: false)

  enum Storage: String, ExpressibleByArgument {
    /// Rows of an app's table; a file of the replica's own.
    case rows, file
  }

  @Option var storage: Storage
  @Option(help: "The path of the database.") var database: String
  @Option(help: "Where the measures are written, as JSON.") var report: String
  @Argument var documents: [String]

  func run() async throws {
    let origin = DocumentOrigin()
    let replica = try replica(from: origin)
    await replica.pause()
    try await replica.start()
    var uses: [DocumentUse] = []
    for path in documents {
      await origin.give(Array(try Data(contentsOf: URL(fileURLWithPath: path))))
      let before = try ProcessMemory.resetPeak()
      let cost = try await Clock.measureAsync {
        await replica.resume()
        try await replica.settle()
      }.1
      uses.append(
        DocumentUse(
          wallSeconds: cost.wallSeconds, cpuSeconds: cost.cpuSeconds,
          peakGrowth: try ProcessMemory.peakByteCount() - before))
      await replica.pause()
    }
    try JSONEncoder().encode(uses).write(to: URL(fileURLWithPath: report))
  }

  private func replica(from origin: DocumentOrigin) throws -> any Following {
    let server = "https://lists.example"
    switch storage {
    case .rows:
      let pool = try DatabasePool(path: database)
      try pool.write { try $0.execute(sql: BareRows.tables) }
      return TableReplica(
        of: ParkStore.list, server: server, from: origin, in: pool, table: ItemTable("items"),
        watches: false)
    case .file:
      var options = ReplicaMachine.Options(list: ParkStore.list)
      options.watches = false
      let source = ReplicaSource(server: server, list: ParkStore.list)
      return ReplicaSession(
        options, origin: origin, storage: ReplicaFile(path: database, source: source))
    }
  }
}

/// What the measured replicas have in common.
private protocol Following: Sendable {
  func start() async throws
  func pause() async
  func resume() async
  func settle() async throws
}

extension TableReplica: Following {}

extension ReplicaSession: Following {
  func start() async throws { _ = try await start() as ListCopy }
}

/// Answers the next request with the given document.
private actor DocumentOrigin: ReplicaOrigin {
  private var document: [UInt8]?

  func give(_ document: [UInt8]) { self.document = document }

  func answer(
    to request: ReplicaRequest, from copy: ListState, limits: Limits
  ) async -> ReplicaAnswer {
    guard let bytes = document else { return .unavailable(.status(503, detail: nil)) }
    document = nil
    return ReplicaAnswer(ReplicaResponse(status: 200, body: bytes), to: request, limits: limits)
  }
}

/// The memory of this process, as Linux counts it (proc(5)).
private enum ProcessMemory {
  /// Makes the peak begin at the present memory.
  ///
  /// - Returns: the present memory, in bytes.
  static func resetPeak() throws -> Int {
    try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    return try peakByteCount()
  }

  static func peakByteCount() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let text = line?.split(separator: " ").dropFirst().first, let number = Int(text) else {
      throw Skipped(reason: "this system does not tell the memory of a process")
    }
    return number * 1024
  }
}
