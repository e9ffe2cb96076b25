import HTTPTypes
import Hummingbird
import ListModel
import SyncService

extension Routes {
  var events: [Route] {
    [
      Route(method: .get, path: "/v1/events", access: .anyone) { call in
        stream(server.board.newestHeads(for: call.caller), call)
      },
      Route(method: .get, path: "/v1/lists/{list}/events", access: .read) { call in
        let list = try call.listName()
        guard server.board.head(of: list) != nil else { throw Problem.noSuchList(list.text) }
        return stream(server.board.newestHeads(of: list, for: call.caller), call)
      },
    ]
  }

  /// Heads as server-sent events: the newest at once, and whenever it is another.
  private func stream(_ heads: NewestHeads, _ call: Call) -> Answer {
    let (request, isConnected) = (call.request, call.connection != nil)
    return Answer(
      body: .stream { body in
        server.metrics.streamBegan()
        defer { server.metrics.streamEnded() }
        let heartbeat = Duration.seconds(server.settings.heartbeatSeconds)
        guard isConnected else {
          return try await EventWriter.write(heads, to: &body, heartbeat: heartbeat)
        }
        // A reader that goes away is noticed at once.
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          try await EventWriter.write(heads, to: &body, heartbeat: heartbeat)
        }
      }, mediaType: MediaTypes.events, caching: .never)
  }
}
