import Foundation
import GRDB
import LocalFiles
import TestSupport
import Testing

/// Programs that wait for the other end of a pipe, beside other programs on the same store.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct StalledPipeTests {
  /// A running `listsync`, which is killed with this object.
  private final class Waiting {
    enum Stream {
      case input, output
    }

    let process = Process()
    /// The end of the pipe that is not the program's.
    let end: FileHandle

    init(_ arguments: [String], in harness: CommandLineHarness, pipe stream: Stream) throws {
      let pipe = ProcessStart.alone { Pipe() }
      end = stream == .input ? pipe.fileHandleForWriting : pipe.fileHandleForReading
      process.executableURL = try BuiltProgram.url("listsync")
      process.arguments = arguments
      process.currentDirectoryURL = harness.folder
      process.environment = ProcessInfo.processInfo.environment.filter {
        !$0.key.hasPrefix("LISTSYNC_")
      }
      process.standardInput = stream == .input ? pipe : FileHandle.nullDevice
      process.standardOutput = stream == .output ? pipe : FileHandle.nullDevice
      try process.start()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// How many bytes are in the pipe.
    var waitingByteCount: Int {
      var count: Int32 = 0
      return ioctl(end.fileDescriptor, UInt(FIONREAD), &count) == 0
        ? Int(count) : -1
    }
  }

  /// A former fault: the transaction began before the bundle was read, so that all other writers
  /// were told that the store is busy.
  @Test(arguments: ["", ".gz"])
  func bundleFromAStalledPipeHoldsNoLock(_ ending: String) async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("bundle", "create", "parks", "-o", "bundle\(ending)")
    let bytes = try Data(contentsOf: harness.url("bundle\(ending)"))
    let run = try Waiting(["bundle", "apply", "-", "--as", "copy"], in: harness, pipe: .input)
    for part in [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)] {
      try run.end.write(contentsOf: part)
      try await eventually("it waits for more") {
        run.waitingByteCount == 0 || !run.process.isRunning
      }
      // It has what it was given: now it would hold the lock.
      try await Task.sleep(for: .milliseconds(100))
      let commit = try await harness.run(
        "commit", "parks", "-", input: "[{\"id\":\"\(part.startIndex)\"}]",
        environment: ["LISTSYNC_WAIT": "0"])
      #expect(commit.exitCode == 0, "\(commit)")
    }
    try run.end.close()
    try await eventually("it ends") { !run.process.isRunning }
    #expect(run.process.terminationStatus == 0)
    #expect(try await harness.succeed("log", "copy").lines.count == 4)
  }

  /// A former fault: the transaction stayed open, and the write-ahead log grew beside it.
  @Test(arguments: [[], ["--json"], ["--reverse"], ["--format", "oneline"]])
  func historyThatNobodyReadsKeepsNoTransactionOpen(_ options: [String]) async throws {
    let harness = try CommandLineHarness()
    let message = String(repeating: "long ", count: 4_000)
    for number in 1...8 {
      try await harness.succeed(
        "commit", "l", "-", "-m", message, input: "[{\"id\":\"a\",\"n\":\(number)}]")
    }
    let run = try Waiting(["log", "l", "--item", "a"] + options, in: harness, pipe: .output)
    try await eventually("the pipe is full") { run.waitingByteCount > 32_000 }
    try await harness.succeed("commit", "l", "-", input: "[]")
    let queue = try DatabaseQueue(path: harness.url("listsync.db").path)
    let isBusy = try await queue.writeWithoutTransaction { db in
      try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    #expect(isBusy == 0, "a reader keeps the log from being emptied")
    #expect(run.process.isRunning)
    let text = try run.end.readToEnd() ?? Data()
    try await eventually("it ends") { !run.process.isRunning }
    #expect(run.process.terminationStatus == 0)
    #expect(text.count > 8 * message.utf8.count)
  }
}
