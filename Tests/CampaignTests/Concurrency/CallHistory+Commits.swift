import ListModel
import StoreTestSupport

extension CallHistory {
  /// The faults of commits and refusals.
  func commitFaults() -> [String] {
    expectationFaults() + contentFaults() + orderFaults()
  }

  /// Of the callers that expect the same cursor, one commits, and its version follows that cursor.
  private func expectationFaults() -> [String] {
    var faults: [String] = []
    var winners: [Cursor: Win] = [:]
    for win in wins {
      guard let expected = win.commit.expected else { continue }
      if let other = winners.updateValue(win, forKey: expected) {
        faults.append("\(other.call.name) and \(win.call.name) both won at \(expected)")
      }
      if win.version != expected.version.next || cursor(of: expected.version) != expected {
        faults.append("\(win.call.name) expected \(expected) and became \(win.commit.state)")
      }
    }
    for call in calls {
      guard case .refused(let expected, let head) = call.outcome else { continue }
      if expected == head { faults.append("\(call.name) was refused what it expected") }
    }
    return faults
  }

  /// Each commit changes the snapshot of the commit before it.
  private func contentFaults() -> [String] {
    var faults: [String] = []
    for (win, before) in zip(wins, snapshots) {
      if case .count(let number, _) = win.commit.change, number != before.count + 1 {
        faults.append(
          "\(win.call.name) counts \(number) after \(before.count): an update is lost")
      }
      if win.commit.root != roots[win.version.number] {
        faults.append("version \(win.version) does not hold what \(win.call.name) wrote")
      }
    }
    return faults
  }

  /// A commit acknowledged before another one is requested has the lower number.
  private func orderFaults() -> [String] {
    wins.compactMap { win in
      let acknowledged = pace.acknowledged.before(win.call.invokedAt)
      return acknowledged < win.version
        ? nil : "\(win.call.name) became version \(win.version) after \(acknowledged) was there"
    }
  }

  /// The cursor of a version; nil for a version that no caller wrote.
  func cursor(of version: Version) -> Cursor? {
    if version == .zero { return Cursor(version: .zero, chain: .zero) }
    return version.number <= wins.count ? wins[version.number - 1].commit.state : nil
  }
}
