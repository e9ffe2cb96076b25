import Foundation
import Gzip
import ListDocuments
import ListModel
import ListStore
import SQLiteStore
import SyncService
import TestSupport
import Testing

@testable import listsync

/// Every byte of a bundle is verified before anything is stored.
struct BundleDamageTests {
  @Test func bundleWithAChangedLostOrAddedByteIsRefusedAndTheStoreStays() async throws {
    let stores = try await Stores()
    let bytes = stores.bundle
    for index in bytes.indices {
      var (changed, lost, added) = (bytes, bytes, bytes)
      changed[index] ^= index % 3 == 0 ? 0x20 : 0x01
      lost.remove(at: index)
      added.insert(UInt8(ascii: " "), at: index)
      for bad in [changed, lost, added] {
        try await stores.expectRefusal(of: bad, "byte \(index)")
      }
    }
    for count in bytes.indices {
      try await stores.expectRefusal(of: Array(bytes.prefix(count)), "cut at \(count)")
    }
    try await stores.expectNoChange()
    #expect(try await stores.apply(bytes).addedCount == 1)
  }

  @Test func damagedPackedBundleIsRefusedOrUnpacksUnchanged() async throws {
    let stores = try await Stores()
    let packer = GzipCompressor()
    let packed = packer.compress(stores.bundle) + packer.finish()
    var idleCount = 0
    for index in packed.indices {
      var bad = packed
      bad[index] ^= 0x10
      if Self.unpacked(bad) == stores.bundle {
        idleCount += 1
      } else {
        try await stores.expectRefusal(of: bad, "byte \(index)")
      }
    }
    // Time, level, system and padding bits do not affect the content.
    #expect((6...8).contains(idleCount))
    for count in packed.indices {
      try await stores.expectRefusal(of: Array(packed.prefix(count)), "cut at \(count)")
    }
    try await stores.expectNoChange()
    #expect(try await stores.apply(packed).addedCount == 1)
  }

  /// Nil when the bytes are not a complete gzip file.
  private static func unpacked(_ bytes: [UInt8]) -> [UInt8]? {
    let decompressor = GzipDecompressor()
    decompressor.feed(bytes)
    var unpacked: [UInt8] = []
    do {
      while let piece = try decompressor.next() { unpacked += piece }
      try decompressor.finish()
      return unpacked
    } catch {
      return nil
    }
  }
}

/// A store that lacks the versions of a small bundle.
private struct Stores {
  private let folder: TestFolder
  private let service: SyncService
  private let log: [VersionRecord]
  let bundle: [UInt8]

  init() async throws {
    let parks = ListName("parks")!
    folder = try TestFolder()
    let source = try folder.service("source.db")
    for json in [#"{"id":"a"}"#, #"{"id":"a","x":[1,"é"]}"#] {
      let snapshot = try Snapshot([Item(id: "a", content: Content(json: json))])
      _ = try await source.commit(CommitRequest(list: parks, snapshot: snapshot))
    }
    service = try folder.service("copy.db")
    var request = ExportRequest(list: parks)
    bundle = try await Self.bundle(source.export(request))
    request.to = .version(Version(1))
    let first = folder.url("first")
    try Data(try await Self.bundle(source.export(request))).write(to: first)
    _ = try await service.apply { try BundleFile(first.path) }
    log = try await service.log(of: parks)
  }

  private static func bundle(_ export: BundleExport) async throws -> [UInt8] {
    var (export, writer) = (export, try BundleWriter(export.header))
    while case let parts = try await export.nextBatch(), !parts.isEmpty {
      for part in parts { try writer.append(part) }
    }
    _ = try writer.finish()
    return writer.takeBytes()
  }

  func apply(_ bytes: [UInt8]) async throws -> ApplyOutcome {
    let file = folder.url("bundle")
    try Data(bytes).write(to: file)
    return try await service.apply { try BundleFile(file.path) }
  }

  func expectRefusal(of bytes: [UInt8], _ what: String) async throws {
    do {
      _ = try await apply(bytes)
      Issue.record("\(what) was not noticed")
    } catch is BundleError {
    } catch is GzipError {
    } catch is ServiceError {
      // A changed name or prerequisite belongs to another list or history.
    }
  }

  func expectNoChange() async throws {
    #expect(try await service.log(of: ListName("parks")!) == log)
    #expect(try await service.lists().count == 1)
  }
}

/// A folder that is removed with this object.
private final class TestFolder: Sendable {
  private let folder: URL

  init() throws { folder = try TemporaryFolder.make() }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

  func service(_ name: String) throws -> SyncService {
    let store = try SQLiteStore(path: url(name).path, ifAbsent: .create)
    return SyncService(store: store) { Timestamp(millisecondsSince1970: 1_795_262_400_000) }
  }
}
