import Foundation
import ListModel
import ListStore
import LocalFiles

/// The result of a backup.
public struct BackupReport: Sendable {
  public let byteCount: Int
  /// The verification of the copy. If it found a fault, no file was made.
  public let verification: VerificationReport
}

/// The progress of a backup.
public enum BackupProgress: Sendable {
  case copying(part: Int, whole: Int)
  case verifying(ListName, Version)
}

/// Copies a store into one file while others read and write it. The copy is verified before it gets
/// its name.
public struct Backup: Sendable {
  private let store: any FileStore
  private let path: String
  private let replacement: FileReplacement

  /// - Parameters:
  ///   - store: the store to copy.
  ///   - path: the file of the copy.
  ///   - replaces: whether an existing file is replaced, atomically.
  /// - Throws: `StoreError.alreadyThere`; `.inUse` when the file is the store itself, or has a
  ///   write-ahead log; `.cannotOpen` when it cannot be made, is a device or a FIFO, may not be
  ///   written by this user, or has a name that is too long.
  public init(of store: any FileStore, to path: String, replaces: Bool = false) throws {
    if store.isStored(at: path) {
      throw StoreError.inUse(place: path, reason: "it is the store itself")
    }
    (self.store, self.path) = (store, path)
    do throws(FileError) {
      guard try FilePlace(writing: path).hasRoom(for: "-journal") else {
        throw .cannotOpen(path: path, reason: "its name leaves no room for that of its log")
      }
      replacement = try FileReplacement(
        path: path, replacing: replaces ? .everything : .nothing)
    } catch {
      throw StoreError(error)
    }
  }

  /// - Throws: `StoreError` when the copy cannot be made; then no file is left.
  public func run(
    onProgress: @escaping @Sendable (BackupProgress) -> Void = { _ in }
  ) async throws -> BackupReport {
    do {
      let path = replacement.temporaryPath
      let copy = try await store.copy(to: path) { onProgress(.copying(part: $0, whole: $1)) }
      let verification = try await SyncService(store: copy) { Timestamp(Date()) }.verify {
        onProgress(.verifying($0, $1))
      }
      let byteCount = FileStatus(path: path)?.byteCount ?? 0
      if verification.faults.isEmpty { try replacement.finish() } else { replacement.discard() }
      return BackupReport(byteCount: byteCount, verification: verification)
    } catch StoreError.notCopied(_, let reason) {
      replacement.discard()
      // The place was that of the temporary file.
      throw StoreError.notCopied(place: path, reason: reason)
    } catch {
      replacement.discard()
      throw (error as? FileError).map { StoreError($0) } ?? error
    }
  }
}

extension StoreError {
  fileprivate init(_ error: FileError) {
    self =
      switch error {
      case .alreadyThere(let path), .isDatabase(let path): .alreadyThere(place: path)
      case .logIsThere(let path, let log): .inUse(place: path, reason: "its log \(log) is there")
      case .cannotOpen(let path, let reason): .cannotOpen(store: path, reason: reason)
      case .inputOutput(let path, let reason): .notCopied(place: path, reason: reason)
      }
  }
}
