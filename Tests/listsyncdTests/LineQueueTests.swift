import Foundation
import LocalFiles
import Synchronization
import TestSupport
import Testing

@testable import listsyncd

struct LineQueueTests {
  @Test func queueWritesLinesInTheirOrder() throws {
    let pipe = ProcessStart.alone { Pipe() }
    let queue = LineQueue(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    for number in 0..<1000 { queue.write("\(number)") }
    queue.finish(withinSeconds: 10)
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(text == (0..<1000).map { "\($0)\n" }.joined())
  }

  @Test func queueDropsAndCountsTheLinesOfABlockedPipe() throws {
    let pipe = ProcessStart.alone { Pipe() }
    let queue = LineQueue(
      descriptor: pipe.fileHandleForWriting.fileDescriptor, byteLimit: 100_000)
    let line = String(repeating: "x", count: 99)
    // The pipe holds 64 KiB, the queue twice its limit.
    for _ in 0..<10_000 { queue.write(line) }
    // A thread of its own: a task may not get one while other tests wait, as this one does.
    let (received, end) = (Received(), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      let data = pipe.fileHandleForReading.readDataToEndOfFile()
      received.data.withLock { $0 = data }
      end.signal()
    }
    queue.finish(withinSeconds: 30)
    queue.write("the end")
    queue.finish(withinSeconds: 30)
    try pipe.fileHandleForWriting.close()
    end.wait()
    let text = String(decoding: received.data.withLock { $0 }, as: UTF8.self)
    #expect(text.hasSuffix("the end\n"))
    let lines = text.split(separator: "\n")
    // Lines that were dropped before the writer began are reported in a line of their own.
    let droppedCount = lines.filter { $0.hasSuffix("were dropped here: the reader was too slow") }
      .compactMap { Int($0.split(separator: " ")[1]) }.reduce(0, +)
    #expect(droppedCount > 5_000)
    #expect(lines.count { $0 == line } + droppedCount == 10_000)
  }

  @Test func closedDescriptorLosesTheLinesWithoutAnError() {
    let queue = LineQueue(descriptor: -1)
    queue.write("a")
    queue.finish(withinSeconds: 10)
    #expect(queue.droppedCount == 0)
  }
}

private final class Received: Sendable { let data = Mutex(Data()) }

struct OpenFilesTests {
  @Test func connectionCountLeavesRoomForTheFilesOfTheServer() throws {
    let own = OpenFiles.ownCount
    #expect(try OpenFiles.connectionCount(wanted: 100, limit: nil) == 100)
    #expect(try OpenFiles.connectionCount(wanted: 100, limit: own + 100) == 100)
    #expect(try OpenFiles.connectionCount(wanted: 100, limit: own + 99) == 99)
    #expect(try OpenFiles.connectionCount(wanted: 100, limit: own + 1) == 1)
    #expect(throws: StartError.self) {
      try OpenFiles.connectionCount(wanted: 100, limit: own)
    }
  }
}
