import Testing

@testable import SyncClient

/// Pauses before the start, such as that of an app which goes to the background while it loads.
@Suite struct PauseTests {
  @Test func replicaPausedBeforeItsStartSendsNothingUntilItResumes() {
    var fixture = MachineFixture(.idle)
    #expect(fixture.handle(.pause) == [])
    #expect(fixture.handle(.start(MachineFixture.server.history[1])) == [])
    #expect(fixture.machine.state == .paused)
    #expect(fixture.machine.copy == MachineFixture.server.history[1])
    #expect(fixture.handle(.resume).count == 1)
    #expect(StateName(fixture.machine.state) == .catchingUp)
  }

  @Test func replicaResumedBeforeItsStartIsNotPausedByIt() {
    var fixture = MachineFixture(.idle)
    fixture.handle(.pause)
    fixture.handle(.resume)
    #expect(fixture.handle(.start(.empty)).count == 1)
    #expect(StateName(fixture.machine.state) == .catchingUp)
  }
}
