import HTTPTypes
import Hummingbird
import ListModel
import NIOCore
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport
import Testing

@testable import SyncServer

@Suite struct EventWriterTests {
  /// httpx-sse, sseclient and aiosseclient take every empty line for the end of a message, also
  /// after a comment or `retry` alone.
  @Test func onlyTheEndOfAnEventHasAnEmptyLine() async throws {
    try await TestServer.run(.inProcess) { server in
      let first = try await server.commit("a")
      let writer = Collector()
      let heads = server.headCache.headStream(of: .parks, for: .anyone)
      let stream = Task {
        var body = BodyWriter(writer, isCompressed: false, nil)
        try await EventWriter.write(heads, to: &body, heartbeat: .milliseconds(10))
      }
      defer { stream.cancel() }
      try await eventually("a heartbeat after the first event") {
        writer.text.contains("\n\n: still here\n")
      }
      let second = try await server.commit("b")
      try await eventually("the second event") { writer.text.contains("id: \(second)\n") }
      let messages = writer.text.split(separator: "\n\n")
      let fields = messages.map { message in
        message.split(separator: "\n").filter { !$0.hasPrefix(":") }.map { $0.prefix { $0 != ":" } }
      }
      #expect(fields.prefix(2) == [["retry", "event", "id", "data"], ["event", "id", "data"]])
      #expect(messages[0].hasPrefix(": heartbeat 0\n") && messages[0].contains("id: \(first)\n"))
    }
  }

  private final class Collector: ResponseBodyWriter, Sendable {
    private let bytes = Mutex<[UInt8]>([])

    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

    func write(_ buffer: ByteBuffer) async throws {
      bytes.withLock { $0 += buffer.readableBytesView }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
  }
}
