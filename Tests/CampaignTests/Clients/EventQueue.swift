/// What is to happen, by its time; of the same time what was added first.
struct EventQueue<Event> {
  private struct Entry {
    let seconds: Double
    let event: Event
  }

  /// The next one last.
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
