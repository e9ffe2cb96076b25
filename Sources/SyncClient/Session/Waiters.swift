/// Those who wait until something happens.
struct Waiters {
  private var continuations: [Int: CheckedContinuation<Void, Never>] = [:]
  private var lastNumber = 0

  mutating func newNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  mutating func add(_ number: Int, _ continuation: CheckedContinuation<Void, Never>) {
    continuations[number] = continuation
  }

  mutating func wake(_ number: Int) { continuations.removeValue(forKey: number)?.resume() }

  mutating func wakeAll() {
    let all = continuations.values
    continuations = [:]
    for continuation in all { continuation.resume() }
  }
}
