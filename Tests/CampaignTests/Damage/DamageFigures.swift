import StoreTestSupport
import Testing

/// Counts of damages and their results.
struct DamageFigures {
  private var damageCount = 0
  private var detectedCount = 0
  private var bundledCount = 0
  private var harmlessCount = 0
  private var olderCount = 0
  private(set) var mixedCount = 0
  private var hiddenCount = 0
  private var wrongCount = 0
  private(set) var faults: [String] = []

  /// - Parameters:
  ///   - newest: the number of the state that the files hold.
  ///   - mayMix: whether answers may come from several states if `verify` reports damage.
  mutating func note(
    _ verdict: DamagedStore.Verdict, newest: Int = 0, mayMix: Bool = false, _ damage: String
  ) {
    damageCount += 1
    var faults = verdict.faults
    if !mayMix { faults += verdict.others.map { "\($0) is another" } }
    if !faults.isEmpty {
      wrongCount += 1
    } else if !verdict.others.isEmpty {
      mixedCount += 1
    } else if !verdict.hidden.isEmpty {
      hiddenCount += 1
    } else if verdict.isDetected {
      detectedCount += 1
      if verdict.bundleCount == 2 { bundledCount += 1 }
    } else if verdict.state == newest {
      harmlessCount += 1
    } else {
      olderCount += 1
    }
    self.faults += faults.map { "\(damage): \($0)" }
  }

  /// Demands that all queries are answered from one state.
  mutating func demand(_ verdict: DamagedStore.Verdict, state: Int, _ damage: String) {
    if verdict.isDetected || !verdict.hidden.isEmpty || verdict.state != state {
      let found = verdict.state.map(String.init) ?? "none"
      faults.append(
        "\(damage): state \(found), not \(state), and \(verdict.refusedCount) refusals")
    }
  }

  var text: String {
    """
    \(damageCount) damages: \(detectedCount) named, both lists still whole as bundles in \
    \(bundledCount) of them; \(harmlessCount) without consequence, \(olderCount) an older state as \
    it was; \(hiddenCount) hid a row, which verify found; \(wrongCount) answered wrongly
    """
  }

  func expectNoFaults(_ context: Comment) {
    let shown = faults.prefix(12).joined(separator: "\n")
    #expect(faults.isEmpty, "\(context)\n\(shown)")
  }
}
