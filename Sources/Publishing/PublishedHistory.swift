import Foundation
import ListModel
import LocalFiles
import SQLExport
import SyncService

/// The history of a published list as a SQLite file, for `curl` and for readers of SQL in a
/// browser.
struct PublishedHistory {
  static let fileName = "history.db"

  private let place: PublicationFolder
  private var path: String { "\(place.path)/\(Self.fileName)" }

  init(in place: PublicationFolder) { self.place = place }

  /// Whether the file is there. A file of this name that is no export belongs to somebody else, and
  /// stays.
  var isThere: Bool { HistoryExporter.isExport(path) }

  func remove() { if isThere { place.remove(Self.fileName) } }

  /// Appends the new versions to a copy, which then takes the place of the file: a web server may
  /// send the file at any time.
  func write(_ list: ListName, _ service: SyncService) async throws {
    if place.has(Self.fileName), !isThere { throw FileError.alreadyThere(path: path) }
    let replacement = try FileReplacement(path: path, replacing: .everything)
    try copy(to: replacement)
    try await Self.export(list, service, to: replacement.temporaryPath)
    PublicationFolder.setTime(of: replacement.descriptor, after: path)
    try replacement.finish()
  }

  private func copy(to replacement: FileReplacement) throws {
    guard isThere, let old = FileHandle(forReadingAtPath: path) else { return }
    defer { try? old.close() }
    let new = FileHandle(fileDescriptor: replacement.descriptor, closeOnDealloc: false)
    do {
      while let part = try old.read(upToCount: 1 << 20), !part.isEmpty {
        try new.write(contentsOf: part)
      }
    } catch {
      throw FileError.inputOutput(path: path, reason: error.localizedDescription)
    }
  }

  /// The publication follows the list, also to another history.
  private static func export(
    _ list: ListName, _ service: SyncService, to path: String
  ) async throws {
    let exporter = try HistoryExporter(service, path: path, busyTimeoutSeconds: 0)
    do {
      _ = try await exporter.export(list)
    } catch let error as ExportError where error.isOfHistory {
      _ = try await exporter.export(list, replacing: true)
    }
  }
}

extension ExportError {
  fileprivate var isOfHistory: Bool {
    switch self {
    case .diverged, .pruned, .damaged: true
    default: false
    }
  }
}
