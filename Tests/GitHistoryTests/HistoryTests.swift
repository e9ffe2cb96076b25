import Foundation
import TestSupport
import Testing

@testable import GitHistory

/// Which commits of a repository are a file's history, and what each says.
struct HistoryTests {
  private static func history(
    _ fixture: RepositoryFixture, of path: String = "list.json", at ref: String = "main",
    after position: String? = nil
  ) throws -> [FileRevision] {
    try GitRepository(at: fixture.path).history(of: path, at: ref, after: position)
  }

  private static func texts(
    _ fixture: RepositoryFixture, _ history: [FileRevision]
  ) throws -> [String] {
    var reader = try BlobReader(history.compactMap(\.blob), in: GitRepository(at: fixture.path))
    return try history.map { revision in
      guard revision.blob != nil else { return "\(revision.content)" }
      return String(decoding: try #require(try reader.next()), as: UTF8.self)
    }
  }

  @Test func historyListsCommitsOfTheFileOldestFirstWithTheirMetadata() throws {
    let fixture = try RepositoryFixture()
    try fixture.load(
      FixtureCommit("first", .write("list.json", "[1]")),
      FixtureCommit("another file", .write("other.json", "[]")),
      FixtureCommit("second\n\nWith a body.\n\n", .write("list.json", "[2]")).with {
        $0.author = "Zoë O'Hara <zoe@example.org>"
        $0.seconds = 1_234_567_891
      })
    let history = try Self.history(fixture)
    let commits = try fixture.commits()
    #expect(history.map(\.commit) == [commits[0], commits[2]])
    #expect(history.map(\.message) == ["first", "second\n\nWith a body."])
    #expect(
      history.map(\.author) == ["Ranger <ranger@example.org>", "Zoë O'Hara <zoe@example.org>"])
    // The committer's date, not the author's, to the second.
    #expect(history.map(\.committedAtSeconds) == [1_700_000_000, 1_234_567_891])
    #expect(try Self.texts(fixture, history) == ["[1]", "[2]"])
  }

  @Test(arguments: [
    "", "\n:100644 100644 a b M", ":000000 100644 0 1 A", "a\u{1}\u{1F}b", "%H%x00", "\t x",
    "commit 0123456789012345678901234567890123456789", "é 🏞 \u{2028}", "'\"\\$(true)`",
    "a\r\nb",
  ])
  func everyMessageIsReadUnchanged(_ message: String) throws {
    let fixture = try RepositoryFixture()
    try fixture.load(
      FixtureCommit(message, .write("list.json", "[1]")),
      FixtureCommit("next", .write("list.json", "[2]")))
    let history = try Self.history(fixture)
    #expect(history.map(\.message) == [message.isEmpty ? nil : message, "next"])
  }

  /// Bytes that cannot be converted become U+FFFD.
  @Test func messageInAnotherEncodingIsConvertedToUTF8() throws {
    let fixture = try RepositoryFixture()
    let latin = FixtureCommit(message: [0x5A, 0x6F, 0xEB], [.write("list.json", "[1]")])
    try fixture.load(
      latin.with { $0.encoding = "ISO-8859-1" },
      FixtureCommit(message: [0x5A, 0xFF], [.write("list.json", "[2]")]))
    #expect(try Self.history(fixture).map(\.message) == ["Zoë", "Z\u{FFFD}"])
  }

  @Test func authorKeepsWhicheverOfNameAndAddressIsPresent() throws {
    let fixture = try RepositoryFixture()
    let authors = ["<a@example.org>", "Ranger <>", "<>"]
    try fixture.load(
      authors.enumerated().map { index, author in
        FixtureCommit("", .write("list.json", "[\(index)]")).with { $0.author = author }
      })
    #expect(try Self.history(fixture).map(\.author) == ["<a@example.org>", "Ranger", nil])
  }

  /// Former fault: one such commit, as converted histories have them, ended the whole import.
  @Test func dateThatGitCannotReadIsAbsentAndEndsNoHistory() throws {
    let fixture = try RepositoryFixture()
    let person = "Ranger <ranger@example.org>"
    let lines = [
      person, "\(person) 1700000000", "\(person) -5 +0000", "\(person) 12345678901234567890 +0000",
      "\(person) yesterday +0000", "Ranger", "", "\(person) 1700000005 +0000",
    ]
    for (index, line) in lines.enumerated() {
      try fixture.load(
        FixtureCommit("\(index)", .write("list.json", "[\(index)]")), committer: line)
    }
    let history = try Self.history(fixture)
    #expect(history.map(\.message) == lines.indices.map { "\($0)" })
    #expect(
      history.map(\.committedAtSeconds) == [nil, nil, nil, nil, nil, nil, nil, 1_700_000_005])
    #expect(try Self.texts(fixture, history) == lines.indices.map { "[\($0)]" })
  }

  /// Former fault: git's own text, and advice to look for damage.
  @Test func cloneWithoutTreesIsToldFromADamagedOne() throws {
    let fixture = try Self.settled()
    try fixture.git("config", "uploadpack.allowFilter", "true")
    let clone = fixture.url.deletingLastPathComponent().appendingPathComponent("partial").path
    try fixture.git("clone", "-q", "--bare", "--filter=tree:0", "file://\(fixture.path)", clone)
    let repository = try GitRepository(at: clone)
    let isMissing = { (error: any Error) in
      if case GitError.missing = error { true } else { false }
    }
    #expect { try repository.history(of: "x", at: "main") } throws: { isMissing($0) }
    #expect { try repository.missingBlobs(of: "x", at: "main") } throws: { isMissing($0) }
  }

  @Test func mergeIsOneRevisionWithoutTheCommitsOfItsSideBranch() throws {
    let fixture = try RepositoryFixture()
    try fixture.load(FixtureCommit("base", .write("list.json", "[0]")))
    let base = try fixture.commits()[0]
    try fixture.load(
      FixtureCommit("side 1", .write("list.json", "[0,1]")).with {
        $0.branch = "side"
        $0.from = base
      },
      FixtureCommit("side 2", .write("list.json", "[0,1,2]")).with { $0.branch = "side" },
      FixtureCommit("elsewhere", .write("other", "x")))
    try fixture.load(
      FixtureCommit("merge", .write("list.json", "[0,1,2]")).with {
        $0.merge = "refs/heads/side^0"
      },
      FixtureCommit("after", .write("list.json", "[3]")))
    let history = try Self.history(fixture)
    #expect(history.map(\.message) == ["base", "merge", "after"])
    #expect(try Self.texts(fixture, history) == ["[0]", "[0,1,2]", "[3]"])
    #expect(
      try Self.history(fixture, at: "side").map(\.message) == ["base", "side 1", "side 2"])
  }

  @Test func historyResumesAfterAnyPosition() throws {
    let fixture = try RepositoryFixture()
    try fixture.load((0..<6).map { FixtureCommit("\($0)", .write("list.json", "[\($0)]")) })
    let whole = try Self.history(fixture)
    for (index, revision) in whole.enumerated() {
      let rest = try Self.history(fixture, after: revision.commit)
      #expect(rest == Array(whole[(index + 1)...]))
    }
  }

  /// The merge made the branch its second parent.
  @Test func onlyDescendantsOfThePositionFollowAMergeThatSwapsItsParents() throws {
    let fixture = try RepositoryFixture()
    try fixture.load(FixtureCommit("base", .write("list.json", "[0]")))
    try fixture.load(
      FixtureCommit("local", .write("list.json", "[0,1]")).with {
        $0.branch = "local"
        $0.from = "refs/heads/main^0"
      },
      FixtureCommit("upstream", .write("list.json", "[0,2]")))
    let position = try #require(try fixture.commits().last)
    // The local branch merges the upstream one and is then the branch itself.
    try fixture.load(
      FixtureCommit("pull", .write("list.json", "[0,1,2]")).with {
        $0.branch = "local"
        $0.merge = "refs/heads/main^0"
      })
    try fixture.git("update-ref", "refs/heads/main", "refs/heads/local")
    #expect(try Self.history(fixture).map(\.message) == ["base", "local", "pull"])
    #expect(try Self.history(fixture, after: position).map(\.message) == ["pull"])
  }

  @Test func positionThatTheHistoryLostIsRefusedAndABranchBehindItHasNoNews() throws {
    let fixture = try RepositoryFixture()
    try fixture.load((0..<3).map { FixtureCommit("\($0)", .write("list.json", "[\($0)]")) })
    let commits = try fixture.commits()
    try fixture.git("branch", "behind", commits[1])
    #expect(try Self.history(fixture, at: "behind", after: commits[2]).isEmpty)
    try fixture.load(
      FixtureCommit("rewritten", .write("list.json", "[9]")).with { $0.from = commits[1] })
    for position in [commits[2], String(repeating: "a", count: 40), "no commit"] {
      #expect(throws: GitError.rewritten(position: position, ref: "main")) {
        try Self.history(fixture, after: position)
      }
    }
    #expect(try Self.history(fixture, after: commits[1]).map(\.message) == ["rewritten"])
  }

  /// A change of mode keeps the content.
  @Test func removalsLinksAndSubmodulesAreDistinguishedFromContents() throws {
    let fixture = try RepositoryFixture()
    try fixture.load(
      FixtureCommit("text", .write("list.json", "[1]")),
      FixtureCommit("mode", .write("list.json", "[1]", mode: "100755")),
      FixtureCommit("gone", .remove("list.json")),
      FixtureCommit("link", .write("list.json", "elsewhere", mode: "120000")))
    let commit = try fixture.commits()[0]
    try fixture.load(
      FixtureCommit("module", .write("list.json", commit, mode: "160000")),
      FixtureCommit("folder", .remove("list.json"), .write("list.json/part", "x")),
      FixtureCommit("back", .remove("list.json"), .write("list.json", "[2]")))
    let history = try Self.history(fixture)
    #expect(
      history.map(\.message) == ["text", "mode", "gone", "link", "module", "folder", "back"])
    #expect(history[0].content == history[1].content)
    #expect(
      history[2...5].map(\.content) == [.removed, .symbolicLink, .submodule, .removed])
    #expect(history[6].blob != nil)
  }

  /// Former faults: `log.showRoot` dropped the first version, an order file that was not there
  /// ended the import, and ignored submodules lost a version.
  @Test(arguments: [
    ("log.showRoot", "false"), ("diff.orderFile", "/nonexistent/order"),
    ("diff.ignoreSubmodules", "all"), ("core.quotePath", "true"), ("diff.renames", "copies"),
    ("diff.relative", "true"), ("diff.submodule", "log"), ("diff.external", "false"),
    ("diff.algorithm", "patience"), ("diff.dirstat", "files"), ("diff.wsErrorHighlight", "all"),
    ("i18n.logOutputEncoding", "ISO-8859-1"), ("i18n.commitEncoding", "ISO-8859-1"),
    ("log.date", "relative"), ("log.mailmap", "true"), ("log.decorate", "full"),
    ("log.excludeDecoration", "*"), ("log.follow", "true"), ("log.diffMerges", "off"),
    ("log.showSignature", "true"), ("format.pretty", "oneline"), ("format.notes", "true"),
    ("notes.displayRef", "refs/notes/*"), ("color.ui", "always"), ("color.diff", "always"),
    ("core.abbrev", "4"), ("core.commentChar", "x"), ("core.commitGraph", "false"),
    ("core.bare", "false"), ("core.ignoreCase", "true"), ("core.precomposeUnicode", "true"),
  ])
  func noSettingOfGitChangesAHistory(_ key: String, _ value: String) throws {
    let fixture = try Self.settled()
    let expected = try Self.history(fixture, of: Self.settledPath)
    #expect(expected.map(\.message) == ["first", "module", "next module", "last é"])
    try fixture.git("config", key, value)
    #expect(try Self.history(fixture, of: Self.settledPath) == expected)
    #expect(
      try Self.history(fixture, of: Self.settledPath, after: expected[0].commit)
        == Array(expected[1...]))
  }

  /// Grafts are an older form of replacements.
  @Test(arguments: [true, false])
  func replacedCommitChangesNoHistory(asGraft: Bool) throws {
    let fixture = try Self.settled()
    let expected = try Self.history(fixture, of: Self.settledPath)
    if asGraft {
      let folder = fixture.url.appendingPathComponent("info")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data((expected[2].commit + "\n").utf8)
        .write(to: folder.appendingPathComponent("grafts"))
    } else {
      try fixture.git("replace", expected[2].commit, expected[0].commit)
    }
    #expect(try Self.history(fixture, of: Self.settledPath) == expected)
  }

  private static let settledPath = "liste é.json"

  /// A history that settings of git could show otherwise.
  private static func settled() throws -> RepositoryFixture {
    let fixture = try RepositoryFixture()
    try fixture.load(
      FixtureCommit(
        "first", .write(settledPath, "[1]"),
        .write(".mailmap", "Nobody <none@example.org> <ranger@example.org>")))
    let first = try fixture.commits()[0]
    try fixture.load(FixtureCommit("module", .write(settledPath, first, mode: "160000")))
    let next = try fixture.commits()[1]
    try fixture.load(
      FixtureCommit("next module", .write(settledPath, next, mode: "160000")),
      FixtureCommit("last é", .remove(settledPath), .write(settledPath, "[2]")))
    return fixture
  }

  @Test func renameEndsTheOldNameAndStartsTheNewOne() throws {
    let fixture = try RepositoryFixture()
    try fixture.git("config", "log.follow", "true")
    try fixture.git("config", "diff.renames", "copies")
    try fixture.load(
      FixtureCommit("old", .write("old.json", "[1,2,3]")),
      FixtureCommit("rename", .rename("old.json", "list.json")),
      FixtureCommit("new", .write("list.json", "[1,2,3,4]")))
    #expect(try Self.history(fixture).map(\.message) == ["rename", "new"])
    let old = try Self.history(fixture, of: "old.json")
    #expect(old.map(\.message) == ["old", "rename"])
    #expect(old.last?.content == .removed)
  }
}
