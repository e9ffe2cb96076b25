import ListModel
import Testing

@testable import SyncClient

@Suite struct ReplicaRequestTests {
  private let cursor = MachineFixture.server.history[1].cursor

  private func request(
    _ purpose: ReplicaRequest.Purpose, limit: Int? = nil
  ) -> ReplicaRequest {
    ReplicaRequest(
      number: 1, list: ModelServer.list, purpose: purpose, since: cursor, changeLimit: limit)
  }

  @Test func requestNamesTheListTheCursorAndItsPurpose() {
    let path = "/v1/lists/parks/delta?since=\(cursor)&fallback=snapshot"
    #expect(request(.catchUp).target == path)
    #expect(request(.catchUp, limit: 50).target == path + "&limit=50")
    #expect(request(.watch(waitSeconds: 30)).target == path + "&wait=30")
    #expect(request(.watch(waitSeconds: 30)).waitSeconds == 30)
  }

  @Test func onlyARequestForTheWholeListOmitsTheEntityTag() {
    let tag = { (request: ReplicaRequest) in
      request.headers.first { $0.name == "If-None-Match" }?.value
    }
    #expect(tag(request(.catchUp)) == "\"\(cursor)\"")
    #expect(tag(request(.watch(waitSeconds: 30))) == "\"\(cursor)\"")
    #expect(tag(request(.startOver)) == nil)
  }
}
