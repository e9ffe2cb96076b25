import ListModel
import StoreTestSupport
import SyncService
import TestSupport

/// A change of a list, independent of the time.
enum Deed {
  case commit([String])
  case put(id: String, value: Int)
  case remove(id: String)
  case prune(keepLast: Int)
  case tag(String)

  static func random(_ count: Int, _ random: inout SeededRandom) -> [Deed] {
    [.commit(["i0", "i1", "i2"])]
      + (1..<count).map { number in
        let id = "i\(Int.random(in: 0..<6, using: &random))"
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .prune(keepLast: .random(in: 1...8, using: &random))
        case 1: return .tag("t\(number % 3)")
        case 2...4: return .put(id: id, value: .random(in: 0...3, using: &random))
        case 5: return .remove(id: id)
        default:
          let ids = (0..<6).map { "i\($0)" }.shuffled(using: &random)
          return .commit(
            ids.prefix(.random(in: 0...6, using: &random)).map {
              "\($0)=\(Int.random(in: 0...1, using: &random))"
            })
        }
      }
  }

  func run(on service: SyncService) async throws {
    switch self {
    case .commit(let texts):
      _ = try await service.commit(.init(list: .parks, snapshot: try .of(texts)))
    case .put(let id, let value):
      let item = try TestHistory.item(id, value)
      _ = try await service.commit(CommitRequest(list: .parks, edits: [.put(item, .first)]))
    case .remove(let id):
      do {
        _ = try await service.commit(CommitRequest(list: .parks, edits: [.remove(ItemID(id))]))
      } catch ServiceError.itemAbsent {
        // The item is not in the list now.
      }
    case .prune(let count): try await service.prune(keepLast: count)
    case .tag(let name):
      guard let name = TagName(name) else { return }
      _ = try await service.tag(name, of: .parks, isForced: true)
    }
  }
}
