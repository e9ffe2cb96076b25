import Foundation
import Gzip
import ListChanges
import ListModel
import ListStore
import SyncClient
import SyncService

@testable import GitHistory
@testable import ListDocuments
@testable import LocalFiles
@testable import PostgresStore
@testable import SQLExport
@testable import listsync

/// An error of each kind, with its name.
enum FailureSamples {
  static var all: [(name: String, error: any Error)] {
    let errors: [any Error] =
      verbs + inputs + git + stores + lookedUp + committed + keptAndMoved + exports + others
    return errors.map { (FailureTable.name(of: $0), $0) }
  }

  private static let parks = ListName("parks")!
  private static let films = ListName("films")!
  private static let zion = ItemID("zion")
  private static let chain = Chain(String(repeating: "3f9a1c2b", count: 8))!
  private static let seven = Cursor(version: Version(7), chain: chain)
  private static let nine = Cursor(version: Version(9), chain: chain)
  private static let root = Root(of: .empty)
  private static let time = Timestamp(millisecondsSince1970: 1_700_000_000_000)
  private static let dropped = RetiredList(
    name: parks, version: Version(7), chain: chain, leftAt: time, author: "ranger", newName: nil)
  private static let renamed = RetiredList(
    name: parks, version: Version(7), chain: chain, leftAt: time, author: nil, newName: films)
  private static let exceeded = ExceededLimit(.itemBytes, bound: 100, found: 120)
  private static let depth = ExceededLimit(.depth, bound: 100)
  private static let json = JSONError(offset: 3, reason: .cutOff(expected: "a value"))
  private static let deep = JSONError(offset: 3, reason: .limit(depth))
  private static let position = TextPosition(offset: 3, in: Array("a\nbc".utf8))
  private static let pointer = JSONPointer(tokens: ["items", "0"])
  private static let state = ListState(cursor: seven, count: 1, root: root)

  private static let verbs: [VerbError] = [
    .unknownVerb("comit", known: ["commit", "compare", "copy", "diff"]),
    .advised(.gone(dropped), "Name another list."), .unreadable("a.json", POSIXError(.ENOENT)),
    .refusedCommit("0123456789ab", reason: "a.json is a submodule"),
    .allSkipped(1, in: parks, head: .zero), .allSkipped(3, in: parks, head: Version(7)),
    .refused(
      "a.ndjson", at: position, ServiceError.besideItself(zion, list: parks, edit: 0)),
    .unnamedCursors, .noCursorsOf(parks), .noKey("a.key"), .keyIsThere("a.key"),
    .divergence(of: "parks", .ends(before: nine)), .absentItem(zion, in: "parks"), .noFile,
    .declined,
    .advised(
      .tooOld("7", list: parks, oldest: Version(8), head: Version(9)),
      "Start over with 'listsync show parks', or add --fallback snapshot."),
    .otherHistory(parks, at: nine, target: "b.db", itsHead: seven),
    .endsTooOld(parks, at: seven, target: "b.db", itsOldest: nine),
    .wrongStep(parks, to: state, .wrongResult(expected: root, found: root)),
    .unwritableBundle(parks, .lineTooLong(line: 2, byteLimit: 100)),
    .unwritableBundle(parks, .brokenChain(line: 2, after: Version(2))),
    .longReport(parks, byteLimit: 64_000_000, isForced: false),
    .longReport(parks, byteLimit: 500_000_000, isForced: true), .noRoomForBackup("b.db"),
    .vacuum(.cannotOpen(store: "a.db", reason: "no")),
  ]

  private static let snapshotErrors: [SnapshotError] = [
    .emptyInput, .gzip, .json(json, at: position), .csv(.unclosedQuote, at: position),
    .csv(.notUTF8, at: position), .limit(exceeded, at: position),
    .noArray(at: pointer, found: "a number", arrays: []),
    .noArray(at: pointer, found: nil, arrays: [pointer]),
    .noIDColumn(field: "id", columns: ["a;id", "b"]), .noIDColumn(field: "id", columns: [" id"]),
    .noIDColumn(field: "id", columns: ["name"]), missing,
    .noID(
      samples: [
        .init(index: 0, position: position, failure: .missing(field: "id"), members: nil)
      ], count: 1),
    repeated, .missingAndDuplicateIDs(missing, repeated), .utf16,
    .csv(.cutRow(1, of: 3), at: position), .csv(.raggedRow(4, of: 3), at: position),
  ]
  private static let missing = SnapshotError.noID(
    samples: [.init(index: 0, position: position, failure: .empty(field: "id"), members: ["id"])],
    count: 1)
  private static let repeated = SnapshotError.duplicateIDs(
    samples: [
      .init(id: zion, first: 0, firstPosition: position, second: 1, secondPosition: position)
    ], count: 1)
  private static let deltaErrors: [DeltaError] = [
    .json(json, at: position), .json(deep, at: position),
    .malformed(at: pointer, expected: "an item"), .limit(exceeded, at: pointer),
    .notTheStart(expected: root, found: root), .changes(.countMismatch(expected: 1, found: 2)),
    .wrongResult(expected: root, found: root),
  ]
  private static let proofErrors: [ProofError] = [
    .document(.json(json, at: position)), .document(.limit(exceeded, at: pointer)),
    .path(.count(level: 1)), .wrongRoot(found: root, expected: root),
    .wrongIndex(stated: 1, found: 2), .wrongCount(stated: 1, found: 2), .wrongHistory(Version(7)),
    .otherCursor(seven, found: nine),
  ]
  private static let refusedInputs: [any Error] = [
    exceeded, EditError.json(json, at: position), EditError.json(deep, at: position),
    EditError.malformed(pointer, expected: "an item", at: position),
    EditError.limit(exceeded, at: position), GzipError.damaged(offset: 1, reason: "bad"),
    GzipError.tooLarge(byteLimit: 1), GzipError.cutOff(byteCount: 1),
    BundleError.lineTooLong(line: 2, byteLimit: 100),
    BundleError.document(.json(json, at: position), line: 2),
    BundleError.document(.malformed(at: pointer, expected: "a number"), line: 1),
    BundleError.document(
      .malformed(at: JSONPointer(tokens: ["format"]), expected: "a bundle"), line: 1),
    BundleError.wrongEnd(line: 9, expected: "the end"),
    ServiceError.diverged(seven, list: parks, here: nine),
    ServiceError.noSuchItem(zion, list: parks),
  ]

  private static var inputs: [any Error] {
    snapshotErrors.map { VerbError.notSnapshot("a.json", $0, given: GivenOptions()) }
      + [VerbError.notSnapshot("-", snapshotErrors[2], given: GivenOptions(format: true))]
      + deltaErrors.map { VerbError.refusedDelta("a.json", at: position, $0) }
      + deltaErrors.map { VerbError.refused("a.json", $0) }
      + [VerbError.noCursors("a.json", deltaErrors[0])]
      + proofErrors.map { VerbError.refused("a.proof", $0) }
      + [VerbError.refused("a.note", HeadRefusal.unsigned)]
      + refusedInputs.map { VerbError.refused("a.json", $0) }
  }

  private static let git: [GitError] = [
    .noGit, .cannotRun(reason: "no"), .failed(reason: "fatal:\tbad\nsee more"),
    .notARepository(path: "a", reason: nil), .notARepository(path: "a", reason: "owned\tby b"),
    .notInside(path: "../a"), .noSuchCommit("a"), .noSuchPath("a", ref: "b"), .isFolder(path: "a"),
    .shallow, .rewritten(position: "0123", ref: "main"), .missing(object: "0123"),
    .noBlob("0123", kind: "tree"), .tooLarge(blob: "0123", byteCount: 9), .unexpected("a"),
  ]

  private static let stores: [StoreError] = [
    .notFound(store: "a.db"), .notFound(store: "a.db", schemas: ["b", "c"]),
    .notADatabase(store: "a.db"), .foreign(store: "a.db"),
    .newer(store: "a.db", schema: 3, known: 2),
    .older(store: "a.db", schema: 1, known: 2), .unreleased(store: "a.db"),
    .cannotOpen(store: "a.db", reason: "no"),
    .unreachable(store: "postgresql://h", reason: "no", remedy: "Check the address."),
    .alreadyThere(place: "a.db"), .inUse(place: "a.db", reason: "its WAL is there"),
    .notCopied(place: "a.db", reason: "no"), .busy, .readOnly(reason: "no"),
    .notPermitted(reason: "no"), .replaced(store: "a.db"), .diskFull, .inputOutput(reason: "no"),
    .headMoved, .listFull, .duplicateItem, .wrongRoot, .corrupt(reason: "no"),
    .database(reason: "no"),
  ]

  /// Errors whose advice for a store at a server is another one.
  static let ofServers: [StoreError] = [
    .notFound(store: "postgresql://h"), .foreign(store: "postgresql://h"), .readOnly(reason: "no"),
    .busy,
  ]

  private static let lookedUp: [ServiceError] = [
    .noSuchList(parks), .gone(dropped), .gone(renamed),
    .noSuchVersion("12", list: parks, oldest: .zero, head: Version(7)),
    .tooOld("1", list: parks, oldest: Version(3), head: Version(7)),
    .noVersionAt(time, list: parks, first: time), .noSuchItem(zion, list: parks),
    .noSuchTag(TagName("spring")!, list: parks, known: [TagName("sprung")!]),
    .diverged(seven, list: parks, here: nine),
  ]
  private static let committed: [ServiceError] = [
    .limit(exceeded, list: parks, item: zion), .limit(depth, list: parks, item: nil),
    .expectationFailed(expected: [.version(Version(3))], list: parks, head: seven),
    .conflicts(MergeConflicts([]), list: parks, base: seven, head: nine),
    .notTheStart(expected: nine, list: parks, head: seven), .misfit(list: parks, reason: "no"),
    .itemAbsent(zion, list: parks, wasRemoved: false, edit: nil),
    .besideItself(zion, list: parks, edit: 0), .noSuchPlace(9, list: parks, highest: 3, edit: 0),
    .datedBeforeHead(time, list: parks, head: Version(7), time: time),
    .changesTooMany(.removed, 9, of: 10, list: parks, limit: .percent(20)),
    .importOvertaken(source: "git:a", list: parks), .notImported(list: parks, head: Version(7)),
  ]
  private static let keptAndMoved: [ServiceError] = [
    .nameTaken(parks), .tagTaken(TagName("spring")!, list: parks, by: Version(1), not: Version(2)),
    .rangeLikeTag(TagName("a")!, list: parks), .zeroTagged(TagName("a")!, list: parks),
    .datedInFuture(Version(7), time: time, now: time),
    .mayHaveLeapt(after: Version(7), from: time, to: time, period: RetentionPeriod("30d")!),
    .tokenTaken(TokenName("reader")!),
    .noSuchToken(TokenName("reader")!, known: [TokenName("writer")!]),
    .emptyBundle(list: parks, from: seven, to: seven),
    .endsBefore(list: parks, from: nine, to: seven), .tooNew(start: nine, list: parks, head: seven),
    .tooNew(start: nine, list: parks, head: Cursor(version: .zero, chain: chain)),
    .endsTooOld(target: seven, list: parks, oldest: nine),
    .brokenBundle(list: parks, version: Version(7), reason: "no"),
    .broken(list: parks, version: Version(7), reason: "no"),
  ]

  private static let exports: [ExportError] = [
    .notAnExport(path: "a.db"), .newer(path: "a.db", format: 9), .alreadyThere(path: "a.db"),
    .diverged(parks, path: "a.db", exported: nine, here: seven),
    .pruned(parks, path: "a.db", exported: seven, oldest: Version(9)),
    .damaged(parks, path: "a.db"), .busy(path: "a.db"), .diskFull(path: "a.db"),
    .failed(path: "a.db", reason: "no"),
  ]

  private static var others: [any Error] {
    let files: [FileError] = [
      .alreadyThere(path: "a"), .logIsThere(path: "a", log: "a-wal"), .isDatabase(path: "a"),
      .cannotOpen(path: "a", reason: "no"), .inputOutput(path: "a", reason: "no"),
    ]
    let replicas: [ReplicaError] = [
      .foreignFile(path: "a"), .newerFile(path: "a", format: 9, known: 8),
      .damagedFile(path: "a", reason: "no"), .cannotOpen(path: "a", reason: "no"),
      .otherSource(path: "a", found: "b", expected: "c"),
    ]
    let setting: any Error =
      if case .failure(let error) = Result(catching: {
        try BusyWait.seconds(environment: [BusyWait.variable: "x"])
      }) { error } else { POSIXError(.EIO) }
    return files + replicas + [
      OutputError(reason: "no"), OutputError(reason: "no", change: "parks 7"),
      DistributionRefusal(reason: "no Citus", remedy: "Install it."), setting,
      ServiceError.changesTooMany(.updated, 9, of: 10, list: parks, limit: .count(2)),
      ServiceError.newIDs(3, list: parks, rule: #"["iso"]"#, former: #"["Title","Year"]"#),
      ServiceError.notSame(
        SameItem(old: "DE", new: "DEU"), list: parks, reason: .oldIsAbsent),
      ServiceError.notSame(SameItem(old: "DE", new: "DEU"), list: parks, reason: .newIsAbsent),
    ]
  }
}
