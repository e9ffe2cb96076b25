import Synchronization

/// The counters of the connections of a store.
final class ConnectionCounter: Sendable {
  private let roundTrips = Atomic(0)
  private let readers = Atomic(0)
  private let largestResult = Atomic(0)
  private let preparations = Atomic(0)

  /// The number of times that a connection waited for an answer of the server.
  var roundTripCount: Int { roundTrips.load(ordering: .relaxed) }
  /// The number of connections that were opened for readers.
  var readerCount: Int { readers.load(ordering: .relaxed) }
  /// The largest number of rows of an answer that were in memory at once.
  var largestResultRowCount: Int { largestResult.load(ordering: .relaxed) }
  /// The number of statements that were prepared.
  var preparationCount: Int { preparations.load(ordering: .relaxed) }

  func addRoundTrip() { roundTrips.add(1, ordering: .relaxed) }
  func addReader() { readers.add(1, ordering: .relaxed) }
  func addResult(rowCount: Int) { largestResult.max(rowCount, ordering: .relaxed) }
  func addPreparation() { preparations.add(1, ordering: .relaxed) }
}
