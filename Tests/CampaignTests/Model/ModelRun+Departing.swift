import ListModel
import ListStore
import StoreTestSupport
import SyncService

extension ModelRun {
  /// Drops a list. A commit may begin its name again.
  func drop(_ store: ModelStore, _ choices: inout ModelChoices) async throws {
    let (service, request) = (store.service, departure(store, &choices))
    try await compare("drop \(request.list), expecting \(request.expected)") {
      try await service.drop(request)
    } with: {
      try store.twin.drop(request, now: clock.now)
    }
  }

  /// Renames a list, sometimes to a name that another list has or had, or that it had itself.
  func rename(_ store: ModelStore, _ choices: inout ModelChoices) async throws {
    let (service, request) = (store.service, departure(store, &choices))
    let name = choices.element(of: ModelChoices.names)
    try await compare("rename \(request.list) to \(name), expecting \(request.expected)") {
      try await service.rename(request, to: name)
    } with: {
      try store.twin.rename(request, to: name, now: clock.now)
    }
  }

  private func departure(
    _ store: ModelStore, _ choices: inout ModelChoices
  ) -> DepartureRequest {
    var request = DepartureRequest(list: choices.listName())
    if choices.chance(2) { request.expected = choices.expectation(of: store.twin[request.list]) }
    request.author = choices.author()
    if choices.chance(4) { request.time = choices.time(clock.now) }
    return request
  }
}
