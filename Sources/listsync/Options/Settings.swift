import Foundation
import ListModel

/// What the environment sets, beside the store.
enum Settings {
  /// - Throws: `InvalidLimit`.
  static func limits() throws -> Limits {
    try Limits(environment: ProcessInfo.processInfo.environment)
  }

  /// - Throws: `InvalidWait`.
  static func waitSeconds() throws -> Int {
    try BusyWait.seconds(environment: ProcessInfo.processInfo.environment)
  }
}

/// A file that is longer than a commit may be, with its name.
struct OversizedFile: Error {
  let path: String
  let exceeded: ExceededLimit
}
