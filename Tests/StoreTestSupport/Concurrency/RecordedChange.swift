import ListModel
import SyncService
import TestSupport

extension RecordedCall.Change {
  /// The changed list.
  package func applied(to snapshot: Snapshot) -> Snapshot {
    guard let item = placed else { return whole }
    var items = snapshot.items
    if let index = items.firstIndex(where: { $0.id == item.id }) {
      items[index] = item
    } else {
      items.append(item)
    }
    return Snapshot(uniqueItems: items)
  }

  /// The item that the change puts where it is, or last; nil where it is another list as a whole.
  package var placed: Item? {
    switch self {
    case .count(let number, let caller):
      Item(
        id: "counter",
        content: Content(canonicalBytes: Array(#"{"by":"\#(caller)","n":\#(number)}"#.utf8)))
    case .mark(let name, let number): KillAct.item(name, number)
    case .whole: nil
    }
  }

  private var whole: Snapshot {
    guard case .whole(let seed) = self else { return .empty }
    var random = SeededRandom(seed: seed)
    let count = Int.random(in: 4...20, using: &random)
    var items = (0..<24).shuffled(using: &random).prefix(count).map {
      KillAct.item("i\($0)", Int.random(in: 0...2, using: &random))
    }
    // No two are alike.
    items.append(KillAct.item("seed", Int(seed >> 2)))
    return Snapshot(uniqueItems: items)
  }
}

extension Snapshot {
  /// The counter of a list; 0 without a counter.
  package var count: Int {
    guard let counter = items.first(where: { $0.id == "counter" }) else { return 0 }
    // `{"by":"…","n":7}`
    let number = counter.content.description.split(separator: ":").last?.dropLast()
    return number.flatMap { Int($0) } ?? 0
  }
}
