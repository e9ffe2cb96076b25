import Foundation
import ListModel
import Terminal

extension Settings {
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
