import Dispatch

/// The results of a function for 0..<count, computed on all cores, the calling thread included.
package func concurrentMap<Result: Sendable>(
  count: Int, _ function: @Sendable (_ number: Int) -> Result
) -> [Result] {
  if count < 2 { return (0..<count).map(function) }
  return Array(unsafeUninitializedCapacity: count) { results, initializedCount in
    // Safe: every call writes its own element, and all calls have returned when this one does.
    nonisolated(unsafe) let results = results
    DispatchQueue.concurrentPerform(iterations: count) { number in
      results.initializeElement(at: number, to: function(number))
    }
    initializedCount = count
  }
}
