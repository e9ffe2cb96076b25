import Testing

/// The list of faults that are known: it hides those and no others, and does not outlive them.
struct KnownFaultTests {
  private static let fault = KnownFault("show*; FIFO; *", "ends in time", "it waits for a writer")

  private func note(_ name: String, _ laws: String...) {
    var ledger = FaultLedger([Self.fault]) { $0 }
    ledger.note(name, broken: laws.map { (law: $0, detail: "") })
  }

  @Test(
    "a star stands for any text, also for none",
    arguments: [
      ("show --store; FIFO; plain", true), ("show; FIFO; ", true), ("show; FIFO", false),
      ("a show; FIFO; plain", false), ("show; device; plain", false),
    ])
  func aStarStandsForAnyText(name: String, isCovered: Bool) {
    #expect(Self.fault.covers(name) == isCovered)
  }

  @Test func aKnownFaultIsNoFailure() { note("show; FIFO; plain", "ends in time") }

  @Test func anotherLawOfTheSameCaseIsAFailure() {
    withKnownIssue { note("show; FIFO; plain", "ends in time", "exit code") }
  }

  @Test func aCaseThatIsListedAndPassesIsAFailure() {
    withKnownIssue { note("show; FIFO; plain") }
  }

  @Test func aCaseThatIsNotListedAndPassesIsNoFailure() { note("show; device; plain") }
}
