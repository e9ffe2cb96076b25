import ListModel
import ListStore

@testable import SyncService

extension TwinStore {
  /// Refuses the name of a list that was dropped or renamed.
  func checkIsNew(_ name: ListName) throws {
    if let former = retiredLists.last(where: { $0.name == name }) {
      throw ServiceError.gone(former)
    }
  }

  package mutating func drop(_ request: DepartureRequest, now: Timestamp) throws -> RetiredList {
    let record = try departure(request, to: nil, now: now)
    self[request.list] = nil
    retiredLists.append(record)
    return record
  }

  package mutating func rename(
    _ request: DepartureRequest, to newName: ListName, now: Timestamp
  ) throws -> RetiredList {
    let record = try departure(request, to: newName, now: now)
    var list = try list(request.list)
    guard self[newName] == nil else { throw ServiceError.nameTaken(newName) }
    if let former = retiredLists.last(where: { $0.name == newName }) {
      // A list may get back the name that it had.
      let version = former.version.number
      let index = retiredLists.lastIndex { $0.name == newName }
      let isKept = list.kept.contains(version) && list.record(version).chain == former.chain
      guard isKept || list.departures[newName] == index else { throw ServiceError.gone(former) }
    }
    self[request.list] = nil
    list.name = newName
    list.departures[request.list] = retiredLists.count
    self[newName] = list
    retiredLists.append(record)
    return record
  }

  private func departure(
    _ request: DepartureRequest, to newName: ListName?, now: Timestamp
  ) throws -> RetiredList {
    let list = try list(request.list)
    if !list.isMet(request.expected, by: list.head) {
      throw ServiceError.expectationFailed(
        expected: request.expected, list: list.name,
        head: list.headCursor)
    }
    return RetiredList(
      name: list.name, version: Version(list.head),
      chain: list.records[list.head]?.chain ?? .zero, leftAt: request.time ?? now,
      author: request.author, newName: newName)
  }
}
