import ListStore
import Terminal
import Testing

@testable import listsync

/// What is said when a disk fails.
@Suite struct StoreFailureTests {
  @Test(
    "a disk that is full or fails exits with 8, and says what to do",
    arguments: [
      (StoreError.diskFull, "make room and try again"),
      (.inputOutput(reason: "disk I/O error"), "Check the disk"),
      (.readOnly(reason: "unable to open database file"), "check the permissions"),
      (.cannotOpen(path: "x.db", reason: "unable to open database file"), "may be written"),
      (.replaced(path: "x.db"), "Run the same again"),
    ])
  func exitsWith8(_ error: StoreError, _ advice: String) {
    let failure = Failure(error)
    #expect(failure.code.rawValue == 8)
    #expect(failure.advice?.contains(advice) == true)
  }
}
