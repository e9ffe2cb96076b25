import Dispatch

/// The results of a function for 0..<count, worked out on all cores.
///
/// It returns when all are there, and uses the thread that calls it.
package func concurrentMap<Result: Sendable>(
  count: Int, _ function: @Sendable (_ number: Int) -> Result
) -> [Result] {
  if count < 2 { return (0..<count).map(function) }
  return Array(unsafeUninitializedCapacity: count) { results, initializedCount in
    // Safe because every call writes a place of its own, and all have returned when this does.
    nonisolated(unsafe) let results = results
    DispatchQueue.concurrentPerform(iterations: count) { number in
      results.initializeElement(at: number, to: function(number))
    }
    initializedCount = count
  }
}
