import ListModel

/// The highest version at each moment.
struct HighWater {
  private let times: [UInt64]
  /// The highest version up to each of the times.
  private let versions: [Version]

  init(_ events: [(at: UInt64, version: Version)]) {
    let sorted = events.sorted { $0.at < $1.at }
    times = sorted.map(\.at)
    versions = sorted.reduce(into: []) { $0.append(max($0.last ?? .zero, $1.version)) }
  }

  /// The highest version of the events before a moment; 0 if there are none.
  func before(_ time: UInt64) -> Version {
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] < time { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? .zero : versions[low - 1]
  }
}
