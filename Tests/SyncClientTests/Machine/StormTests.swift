import ListModel
import Testing

@testable import SyncClient

/// Servers that answer every request at once are not asked again at once. `LossyTransportCampaign`
/// found both cases.
@Suite struct StormTests {
  private static let timing = ReplicaMachine.ResponseTiming(elapsedSeconds: 0.1, random: 0)

  private static func machine(waitSeconds: Int = 30) -> ReplicaMachine {
    var machine = ReplicaMachine(
      ReplicaMachine.Options(list: ModelServer.list, waitSeconds: waitSeconds))
    _ = machine.handle(.start(MachineFixture.server.history[1]))
    return machine
  }

  /// Answers the machine's outstanding request, and completes its save.
  private static func answer(_ answer: ReplicaAnswer, _ machine: inout ReplicaMachine) {
    guard case .asking(let request) = machine.state else { return }
    _ = machine.handle(.answered(request.number, answer, timing))
    guard case .saving(let saving) = machine.state else { return }
    _ = machine.handle(.saved(saving.number))
  }

  @Test func pollsWithoutAServerWaitAreAtLeastASecondApart() throws {
    var machine = Self.machine(waitSeconds: 0)
    Self.answer(.notModified(nil), &machine)
    Self.answer(.notModified(nil), &machine)
    guard case .waiting(let wait) = machine.state else {
      Issue.record("\(machine.state)")
      return
    }
    #expect(wait.seconds >= 1)
  }

  /// A cache serves one history, and the server another.
  @Test func waitsGrowWhileACacheAndTheServerDisagreeUntilOneAgrees() throws {
    let old = MachineFixture.server
    var restored = old.restored(to: 1)
    restored.commit(["a"])
    var machine = Self.machine()
    var waits: [Double] = []
    for _ in 0..<6 {
      Self.answer(.changes(old.changes(from: 1, to: 3)), &machine)
      Self.answer(.snapshot(restored.whole(.diverged, at: 1)), &machine)
      guard case .waiting(let wait) = machine.state else { continue }
      waits.append(wait.seconds)
      _ = machine.handle(.timerFired(wait.number))
    }
    #expect(waits == [0.25, 0.5, 1, 2, 4])
    Self.answer(.notModified(nil), &machine)
    _ = machine.handle(.resume)
    Self.answer(.changes(old.changes(from: 1, to: 3)), &machine)
    Self.answer(.snapshot(restored.whole(.diverged, at: 1)), &machine)
    guard case .asking = machine.state else {
      Issue.record("\(machine.state)")
      return
    }
  }
}
