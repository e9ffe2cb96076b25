import Foundation
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

@Suite struct LongWorkTests {
  /// A list in JSON of more than so many bytes.
  private static func list(byteCount: Int) -> String {
    let text = String(repeating: "x", count: 1000)
    let items = (0...byteCount / 1000).map { #"{"id":"i\#($0)","text":"\#(text)"}"# }
    return "[\(items.joined(separator: ","))]"
  }

  private static func put(_ body: String, port: Int) async throws -> Wire {
    try await onThread {
      let wire = try Wire(port: port)
      try wire.write(
        """
        PUT /v1/lists/parks HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: *\r\n\
        Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n
        """ + body)
      return wire
    }
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func longCommitEndsWhenItsClientHasGone() async throws {
    let test = try TestStore()
    let store = StallingStore(test.store)
    try await TestServer.run(.network, on: store) { server in
      store.stallWrites()
      defer { store.release() }
      let body = Self.list(byteCount: LongWork.leastByteCount)
      var wire: Wire? = try await Self.put(body, port: try #require(server.port))
      try await eventually("the commit waits for the store") { store.stalledCount == 1 }
      #expect(wire != nil)
      wire = nil
      try await eventually("the commit ends") { store.cancelledCount == 1 }
    }
    #expect(try await test.service.lists().isEmpty)
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func shortCommitIsMadeAlsoWhenItsClientHasGone() async throws {
    let test = try TestStore()
    let store = StallingStore(test.store)
    try await TestServer.run(.network, on: store) { server in
      store.stallWrites()
      defer { store.release() }
      var wire: Wire? = try await Self.put(#"[{"id":"a"}]"#, port: try #require(server.port))
      try await eventually("the commit waits for the store") { store.stalledCount == 1 }
      #expect(wire != nil)
      wire = nil
      try await Task.sleep(for: .seconds(1))
      store.release()
      try await eventually("the commit is made") { server.syncServer.headCache.listCount == 1 }
      #expect(store.cancelledCount == 0)
    }
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func computationEndsWhenItsTaskIsCancelled() async throws {
    let begun = Counter()
    let task = Task {
      try await LongWork.compute { checkCancellation in
        begun.increment()
        while true { try checkCancellation() }
      }
    }
    try await eventually("it runs") { begun.value == 1 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
