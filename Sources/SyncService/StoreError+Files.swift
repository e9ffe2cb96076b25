import ListStore
import LocalFiles

extension StoreError {
  /// Why a copy of a store was not written.
  init(_ error: FileError) {
    self =
      switch error {
      case .alreadyThere(let path): .alreadyThere(path: path)
      case .logIsThere(let path, let log): .inUse(path: path, reason: "its log \(log) is there")
      case .cannotOpen(let path, let reason): .cannotOpen(path: path, reason: reason)
      case .inputOutput(let path, let reason): .inputOutput(reason: "\(path): \(reason)")
      }
  }
}
