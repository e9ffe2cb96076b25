import HTTPTypes
import Hummingbird
import ListModel
import SyncService

extension Routes {
  var events: [Route] {
    [
      Route(method: .get, path: "/v1/events", access: .anyone, work: .bounded) { call in
        stream(server.headCache.headStream(for: call.caller), call)
      },
      Route(method: .get, path: "/v1/lists/{list}/events", access: .read, work: .bounded) { call in
        let list = try call.listName()
        guard server.headCache.head(of: list) != nil else { throw Problem.noSuchList(list.text) }
        return stream(server.headCache.headStream(of: list, for: call.caller), call)
      },
    ]
  }

  /// Sends the newest head of each list at once, and again whenever it changes.
  private func stream(_ heads: HeadStream, _ call: Call) -> Answer {
    let (request, isConnected) = (call.request, call.context.connection != nil)
    return Answer(
      body: .stream { body in
        server.metrics.streamBegan()
        defer { server.metrics.streamEnded() }
        let heartbeat = Duration.seconds(server.settings.heartbeatSeconds)
        guard isConnected else {
          return try await EventWriter.write(heads, to: &body, heartbeat: heartbeat)
        }
        // Cancels the writer as soon as the reader closes the connection.
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          try await EventWriter.write(heads, to: &body, heartbeat: heartbeat)
        }
      }, mediaType: MediaTypes.events, caching: .never)
  }
}
