import Foundation
import LocalFiles
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(Hang.minutes))) struct ProcessStartTests {
  /// A former fault: a process that started at the same moment kept the socket by which Foundation
  /// sees the end of this one, which then seemed to run as long as the other.
  @Test func endOfAProcessIsSeenWhileOthersRunThatStartedWithIt() async throws {
    for _ in 0..<10 {
      let started = try await withThrowingTaskGroup(of: Started.self) { group in
        for number in 0..<64 {
          group.addTask { try await onThread { try Started(isLasting: number.isMultiple(of: 2)) } }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      defer {
        for one in started where one.isLasting { kill(one.process.processIdentifier, SIGKILL) }
      }
      for one in started where !one.isLasting {
        try await eventually("its end is seen") { !one.process.isRunning }
      }
      #expect(started.allSatisfy { $0.process.isRunning == $0.isLasting })
    }
  }

  private struct Started: @unchecked Sendable {
    let process = Process()
    let isLasting: Bool

    init(isLasting: Bool) throws {
      self.isLasting = isLasting
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = isLasting ? ["sleep", "86400"] : ["true"]
      (process.standardInput, process.standardOutput, process.standardError) = (
        FileHandle.nullDevice, FileHandle.nullDevice, FileHandle.nullDevice
      )
      try process.start()
    }
  }
}
