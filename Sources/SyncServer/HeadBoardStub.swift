import ListModel
import SyncService
import Synchronization

public final class HeadBoard: Sendable {
  let service: SyncService
  let state = Mutex<[ListSummary]>([])
  let tokens = Mutex<AccessList>(AccessList([]))
  public init(service: SyncService) { self.service = service }
  public func run() async throws {
    while true {
      try await Task.sleep(for: .milliseconds(50))
      try await refresh()
    }
  }
  public func refresh() async throws {
    let l = try await service.lists()
    state.withLock { $0 = l }
    let a = AccessList(try await service.tokens())
    tokens.withLock { $0 = a }
  }
  var heads: [ListSummary] { state.withLock { $0 } }
  func head(of list: ListName) -> ListSummary? { heads.first { $0.name == list } }
  public var access: AccessList { tokens.withLock { $0 } }
  func wait(for list: ListName, otherThan: Cursor, timeout: Duration) async -> ListSummary? {
    let end = ContinuousClock.now + timeout
    while ContinuousClock.now < end {
      if let h = head(of: list), h.head.cursor != otherThan { return h }
      try? await Task.sleep(for: .milliseconds(20))
    }
    return nil
  }
  func changes(readableBy: Caller) -> HeadChanges { HeadChanges() }
  func changes(of: ListName, readableBy: Caller) -> HeadChanges { HeadChanges() }
}
public struct HeadChanges: AsyncSequence, Sendable {
  public struct AsyncIterator: AsyncIteratorProtocol {
    public mutating func next() async -> ListSummary? { nil }
  }
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
extension SyncServer { var isReady: Bool { true } }
