/// Future events, ordered by time; events of the same time in the order of their addition.
struct EventQueue<Event> {
  private struct Entry {
    let seconds: Double
    let event: Event
  }

  /// Sorted, the next event last.
  private var entries: [Entry] = []

  var nextSeconds: Double? { entries.last?.seconds }

  mutating func add(_ event: Event, at seconds: Double) {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].seconds > seconds { low = middle + 1 } else { high = middle }
    }
    entries.insert(Entry(seconds: seconds, event: event), at: low)
  }

  mutating func next() -> (seconds: Double, event: Event)? {
    entries.popLast().map { ($0.seconds, $0.event) }
  }
}
