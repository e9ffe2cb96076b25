import ListDocuments
import ListModel
import SyncClient
import Testing

@testable import LocalFiles
@testable import listsync

/// The table of all errors of `listsync pull`: `Tests/Fixtures/pull-failures.txt`.
struct PullFailureTableTests {
  private func table() throws -> FailureTable {
    FailureTable(
      rows: try PullFailureSamples.all.map { error in
        (FailureTable.name(of: error), try #require(Failure(ofPull: error)))
      })
  }

  @Test func textsExitCodesAndAdviceOfAllPullErrorsAreTheKeptOnes() throws {
    try table().expectEqual(to: "pull-failures.txt")
  }

  @Test(arguments: ["ReplicaError", "Unavailability"])
  func everyCaseOfAReplicasErrorIsInTheTable(_ name: String) throws {
    try table().expectAllCases(of: name, in: "SyncClient/ReplicaError.swift")
  }

  /// Errors that say all by themselves. An untrusted head is a `RefusedHead` here.
  private let withoutAdvice = ["badAddress", "untrusted", "undecodable"]

  @Test func everyOtherPullErrorSaysWhatToDo() throws {
    for (name, failure) in try table().rows
    where !withoutAdvice.contains(where: { name.hasPrefix("ReplicaError.\($0)") }) {
      #expect(failure.advice?.isEmpty == false, "\(name) has no advice")
    }
  }
}

/// An error of each kind.
private enum PullFailureSamples {
  private static let parks = ListName("parks")!
  private static let chain = Chain(String(repeating: "3f9a1c2b", count: 8))!
  private static let seven = Cursor(version: Version(7), chain: chain)
  private static let nine = Cursor(version: Version(9), chain: chain)
  private static let exceeded = ExceededLimit(.itemBytes, bound: 100, found: 120)

  private static let causes: [Unavailability] = [
    .network(reason: "no route"), .untrusted(reason: "expired"), .status(503, detail: nil),
    .notFromServer(contentType: "text/html"), .misdelivered, .behind(reason: "no"),
  ]

  private static let replicas: [ReplicaError] =
    [
      .badAddress("ftp://h"), .badToken, .missingLibrary(reason: "no"), .foreignFile(path: "a"),
      .otherSource(path: "a", found: "b", expected: "c"),
      .newerFile(path: "a", format: 9, known: 8), .damagedFile(path: "a", reason: "no"),
      .changedRows(table: "a", ids: [ItemID("zion")], reason: "no"),
      .cannotOpen(path: "a", reason: "no"), .unauthenticated(detail: nil), .forbidden(detail: "no"),
      .noSuchList(parks, detail: nil), .gone(parks, newName: nil, detail: nil),
      .gone(parks, newName: ListName("films")!, detail: nil),
      .refused(status: 301, type: nil, detail: nil), .refused(status: 400, type: nil, detail: nil),
      .answerTooLong(byteLimit: 100), .askedToWait(seconds: 900, causes[2]),
      .mismatchAgain(.noCursor), .rewritten(from: seven, to: nine),
      .unproven(from: seven, to: nine), .untrusted(.unsigned), .overLimit(exceeded),
      .undecodable(id: ItemID("zion"), reason: "no"),
    ] + causes.map { .gaveUp(tryCount: 4, $0) }
    + [.full, .readOnly, .gone, .otherProgram, .unfinished, .unknown].map {
      .notSaved(reason: "no", cause: $0)
    }

  private static let key = VerifierKey(
    "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")!

  private static let heads: [HeadRefusal] = [
    .unsigned, .falseSignature(reason: "no"), .otherList(parks), .older(seven, than: nine),
    .forked(kept: "a\n", found: "b\n"),
    .otherKey(found: ["other.example"], wanted: key),
  ]

  static var all: [any Error] {
    replicas + heads.map { RefusedHead($0, besideCopyAt: "/nowhere/parks.replica") }
      + [
        FileError.cannotOpen(path: "a", reason: "no"), OutputError(reason: "no"),
        PullTimeout(seconds: 1), PullTimeout(seconds: 60),
      ]
  }
}
