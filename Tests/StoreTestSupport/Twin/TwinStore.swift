import ListModel
import ListStore

@testable import SyncService

/// A store as plain values: what the service must answer, and how it must refuse, worked out the
/// long way.
package struct TwinStore: Equatable, Sendable {
  package private(set) var lists: [TwinList] = []
  /// The records of lists that were dropped or renamed, oldest first.
  package internal(set) var retiredLists: [RetiredList] = []

  package init() {}

  package subscript(_ name: ListName) -> TwinList? {
    get { lists.first { $0.name == name } }
    set {
      lists.removeAll { $0.name == name }
      if let newValue { lists.append(newValue) }
      lists.sort { $0.name.text.utf8.lexicographicallyPrecedes($1.name.text.utf8) }
    }
  }

  package func list(_ name: ListName) throws -> TwinList {
    guard let list = self[name] else {
      try checkIsNew(name)
      throw ServiceError.noSuchList(name)
    }
    return list
  }

  package var summaries: [ListSummary] {
    lists.map {
      ListSummary(
        name: $0.name, head: $0.state($0.head), committedAt: $0.records[$0.head]?.note.time,
        oldest: Version($0.oldest), idRule: $0.idRule)
    }
  }
}
