import StoreTestSupport
import Testing

/// What was done to stores, and what came of it.
struct DamageFigures {
  private var damageCount = 0
  private var detectedCount = 0
  private var bundledCount = 0
  private var harmlessCount = 0
  private var olderCount = 0
  private var wrongCount = 0
  private(set) var faults: [String] = []

  /// - Parameter newest: the number of the state that the files were of.
  mutating func note(_ verdict: DamagedStore.Verdict, newest: Int = 0, _ damage: String) {
    damageCount += 1
    if !verdict.faults.isEmpty {
      wrongCount += 1
    } else if verdict.isDetected {
      detectedCount += 1
      if verdict.bundleCount == 2 { bundledCount += 1 }
    } else if verdict.state == newest {
      harmlessCount += 1
    } else {
      olderCount += 1
    }
    faults += verdict.faults.map { "\(damage): \($0)" }
  }

  var text: String {
    """
    \(damageCount) damages: \(detectedCount) named, both lists still whole as bundles in \
    \(bundledCount) of them; \(harmlessCount) without consequence, \(olderCount) an older state as \
    it was; \(wrongCount) answered wrongly
    """
  }

  func expectNoFaults(_ context: Comment) {
    let shown = faults.prefix(12).joined(separator: "\n")
    #expect(faults.isEmpty, "\(context)\n\(shown)")
  }
}
