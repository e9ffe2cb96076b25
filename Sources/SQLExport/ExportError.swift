import ListModel

import struct GRDB.DatabaseError

/// Why a list was not exported.
package enum ExportError: Error, Equatable, CustomStringConvertible {
  // When the file is opened.

  /// Thrown when the file is not an export: a store, the database of another program, or none.
  case notAnExport(path: String)
  /// Thrown when a newer ListSync wrote the export.
  case newer(path: String, format: Int)
  /// Thrown when a file of text is there and should not be replaced.
  case alreadyThere(path: String)

  // When versions are appended.

  /// Thrown when the export has a version of the list that the store's history does not have.
  case diverged(ListName, path: String, exported: Cursor, here: Cursor)
  /// Thrown when the list was pruned beyond the newest version that the export has.
  case pruned(ListName, path: String, exported: Cursor, oldest: Version)
  /// Thrown when the rows of the export are not those that its newest version has.
  case damaged(ListName, path: String)

  // When SQLite fails.

  /// Thrown when another process writes the file, or a reader reads it for long.
  case busy(path: String)
  case diskFull(path: String)
  /// Thrown for all other errors of SQLite. The reason has no values of rows.
  case failed(path: String, reason: String)

  init(_ error: DatabaseError, path: String) {
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(path: path)
    case .SQLITE_FULL: self = .diskFull(path: path)
    case .SQLITE_NOTADB: self = .notAnExport(path: path)
    default: self = .failed(path: path, reason: error.message ?? "\(error.resultCode)")
    }
  }

  package var isBusy: Bool { if case .busy = self { true } else { false } }

  package var description: String {
    switch self {
    case .notAnExport(let path): "\(path) is not an export of listsync; it was not touched"
    case .newer(let path, let format):
      """
      \(path) was written by a newer listsync (format \(format), this one knows \
      \(ExportSchema.format)); it was not touched
      """
    case .alreadyThere(let path): "\(path) is there already"
    case .diverged(let list, let path, let exported, let here):
      """
      \(list) diverged: \(path) has it at \(exported.short), which is not in its history, now at \
      \(here.short)
      """
    case .pruned(let list, let path, let exported, let oldest):
      """
      \(list) was pruned: \(path) has it at \(exported.short), and its oldest version is \(oldest)
      """
    case .damaged(let list, let path):
      "the rows of \(list) in \(path) are not those of its newest version"
    case .busy(let path): "\(path) is in use by another program"
    case .diskFull(let path): "cannot write \(path): the disk is full"
    case .failed(let path, let reason): "cannot write \(path): \(reason)"
    }
  }
}
