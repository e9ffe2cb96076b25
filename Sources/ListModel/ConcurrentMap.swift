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

/// A value that another thread computes while this one continues.
package final class BackgroundValue<Value: Sendable>: @unchecked Sendable {
  private let group = DispatchGroup()
  // Safe: written before the group is left, and read after waiting for that.
  private var result: Value!

  package init(on queue: DispatchQueue, _ compute: @escaping @Sendable () -> Value) {
    queue.async(group: group) { self.result = compute() }
  }

  /// The value, as soon as it is there.
  package var value: Value {
    group.wait()
    return result
  }
}
