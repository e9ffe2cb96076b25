import Foundation
import LocalFiles

/// Programs of the system that a test needs.
package enum Command {
  /// Runs a program that is in the path to its end; its errors are not shown.
  ///
  /// - Returns: whether it started and reported success.
  package static func succeeds(_ words: [String], in folder: URL? = nil) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    if let folder { process.currentDirectoryURL = folder }
    process.standardError = FileHandle.nullDevice
    guard (try? process.start()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
