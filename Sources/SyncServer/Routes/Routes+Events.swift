import HTTPTypes
import Hummingbird
import ListDocuments
import ListModel
import SyncService

extension Routes {
  var events: [Route] {
    [
      Route(method: .get, path: "/v1/events", access: .anyone) { call in
        let caller = call.caller
        return stream(call) { server.board.changes(readableBy: caller) }
      },
      Route(method: .get, path: "/v1/lists/{list}/events", access: .read) { call in
        let (list, caller) = (try call.listName(), call.caller)
        guard server.board.head(of: list) != nil else { throw Problem.noSuchList(list.text) }
        return stream(call) { server.board.changes(of: list, readableBy: caller) }
      },
    ]
  }

  /// Heads as server-sent events: the newest at once, and whenever it is another.
  private func stream(
    _ call: Call, _ heads: @escaping @Sendable () -> HeadChanges
  ) -> Answer {
    let heartbeat = Duration.seconds(server.settings.heartbeatSeconds)
    let request = call.request
    let isConnected = call.isConnected
    return Answer(
      body: .stream { body in
        let writer = EventWriter(body)
        if isConnected {
          // A reader that goes away is noticed at once.
          try await request.body.consumeWithCancellationOnInboundClose { _ in
            try await writer.run(heads(), heartbeat: heartbeat)
          }
        } else {
          try await writer.run(heads(), heartbeat: heartbeat)
        }
      }, mediaType: MediaTypes.events, caching: .never)
  }
}
