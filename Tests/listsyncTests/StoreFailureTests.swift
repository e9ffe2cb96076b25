import ListStore
import Terminal
import Testing

@testable import listsync

/// Failures about errors of a disk.
@Suite struct StoreFailureTests {
  @Test(arguments: [
    (StoreError.diskFull, "Free some space and try again"),
    (.inputOutput(reason: "disk I/O error"), "Check the disk"),
    (.readOnly(reason: "unable to open database file"), "Check the permissions"),
    (.cannotOpen(store: "x.db", reason: "unable to open database file"), "is writable"),
    (
      .unreachable(store: "postgresql://h", reason: "refused", remedy: "Check the address."),
      "Check the address"
    ), (.notPermitted(reason: "permission denied"), "can grant"),
    (.replaced(store: "x.db"), "Run the same command again"),
  ])
  func fullOrFailingDiskExitsWith8AndSaysWhatToDo(_ error: StoreError, _ advice: String) {
    let failure = Failure(error)
    #expect(failure.code.rawValue == 8)
    #expect(failure.advice?.contains(advice) == true)
  }
}
