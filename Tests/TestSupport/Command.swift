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

  /// What a program that is in the path prints until its end; nil if it does not report success.
  package static func output(_ words: [String], in folder: URL) -> Data? {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = folder
    process.standardOutput = output
    guard (try? process.start()) != nil else { return nil }
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? bytes : nil
  }
}
