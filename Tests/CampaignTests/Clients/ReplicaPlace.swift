import FaultyFiles
import Foundation
import ListModel
import SyncClient
import TestSupport

/// The place of a simulated client's copy, across its processes.
final class ReplicaPlace {
  enum Kind: Equatable {
    /// The copy ends with the process.
    case memory
    /// The copy is in memory but outlives the process.
    case lasting
    case file(ReplicaFile.DamagePolicy)
  }

  let kind: Kind
  private let source: ReplicaSource
  private var memory = ReplicaMemory()
  /// The storage that the present process has open.
  private var opened: (any ReplicaStorage)?
  private let folder: URL?
  private let watched: FaultyFolder?

  init(_ kind: Kind, _ list: ListName) throws {
    self.kind = kind
    source = ReplicaSource(server: "http://simulated", list: list)
    guard case .file = kind else {
      (folder, watched) = (nil, nil)
      return
    }
    let folder = try Self.fastFolder()
    self.folder = folder
    watched = try FaultyFolder(folder)
  }

  deinit { if let folder { try? FileManager.default.removeItem(at: folder) } }

  /// A folder in memory, if the system has one: nothing here depends on power cuts.
  private static func fastFolder() throws -> URL {
    let memory = URL(fileURLWithPath: "/dev/shm")
    guard FileManager.default.isWritableFile(atPath: memory.path) else {
      return try TemporaryFolder.make()
    }
    let folder = memory.appendingPathComponent("listsync-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  private var path: String { folder?.appendingPathComponent("copy.db").path ?? "" }

  /// Opens the storage for a new process.
  func open() -> any ReplicaStorage {
    let storage: any ReplicaStorage =
      switch kind {
      case .memory, .lasting: memory
      case .file(let policy): ReplicaFile(path: path, source: source, ifDamaged: policy)
      }
    opened = storage
    return storage
  }

  func save(_ step: ReplicaStep) async throws(ReplicaError) { try await opened?.save(step) }

  /// Simulates a death in the middle of a save: from one operation on, every file operation fails.
  func dieSaving(_ step: ReplicaStep, at operation: Int) async {
    watched?.plan = .suddenEnd(at: operation)
    try? await save(step)
    end()
  }

  /// Ends the process.
  func end() {
    opened = nil
    // Death also prevents SQLite's work on closing.
    watched?.plan = nil
    if kind == .memory { memory = ReplicaMemory() }
  }

  /// Overwrites a part of the file.
  func damage(_ random: inout SeededRandom) throws {
    let url = URL(fileURLWithPath: path)
    guard var bytes = try? Array(Data(contentsOf: url)), !bytes.isEmpty else { return }
    let place = random.number(0...bytes.count - 1)
    switch random.number(1...6) {
    case 1: bytes.removeSubrange(place...)
    case 2:
      let end = min(bytes.count, place + random.number(1...600))
      for index in place..<end { bytes[index] = 0 }
    default:
      for _ in 0..<random.number(1...8) {
        bytes[random.number(0...bytes.count - 1)] ^= UInt8(1 << random.number(0...7))
      }
    }
    try Data(bytes).write(to: url)
  }

  func remove() throws {
    end()
    if let folder {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
      }
    }
  }
}
