import Foundation
import ListModel

/// What the environment sets, beside the store.
enum Settings {
  /// - Throws: `InvalidLimit`.
  static func limits() throws -> Limits {
    try Limits(environment: ProcessInfo.processInfo.environment)
  }

  /// How long to wait for another process's write.
  enum Wait {
    static let variable = "LISTSYNC_WAIT"
    static let standardSeconds = 10
    static let highestSeconds = 86_400

    /// - Throws: `InvalidWait`.
    static func seconds() throws -> Int {
      guard let text = ProcessInfo.processInfo.environment[variable] else { return standardSeconds }
      guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int(text),
        seconds <= highestSeconds
      else { throw InvalidWait(text: text) }
      return seconds
    }
  }
}

/// Thrown when `LISTSYNC_WAIT` is no number of seconds.
struct InvalidWait: Error {
  let text: String
}

/// A file that is longer than a commit may be, with its name.
struct OversizedFile: Error {
  let path: String
  let exceeded: ExceededLimit
}
