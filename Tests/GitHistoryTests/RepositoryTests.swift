import Foundation
import GitHistory
import TestSupport
import Testing

/// Recognises repositories, and reads only the objects of the repository.
struct RepositoryTests {
  private static let one = FixtureCommit("one", .write("list.json", "[1]"))

  private static func messages(
    _ path: String, environment: [String: String]? = nil
  ) throws -> [String?] {
    let environment = environment ?? ProcessInfo.processInfo.environment
    let repository = try GitRepository(at: path, environment: environment)
    return try repository.history(of: "list.json", at: "HEAD").map(\.message)
  }

  @Test func bareRepositoryCloneSubfolderAndLinkedWorktreeAreRead() throws {
    let fixture = try RepositoryFixture(isBare: false)
    try fixture.load(Self.one.with { $0.changes.append(.write("data/x", "")) })
    try fixture.git("reset", "-q", "--hard")
    try fixture.git("worktree", "add", "-q", "../linked", "-b", "linked")
    let beside = fixture.url.deletingLastPathComponent()
    try fixture.git("clone", "-q", "--bare", fixture.path, "../bare")
    for path in [
      fixture.path, fixture.path + "/data", fixture.path + "/.git",
      beside.appendingPathComponent("linked").path, beside.appendingPathComponent("bare").path,
    ] {
      #expect(try Self.messages(path) == ["one"], "\(path)")
    }
  }

  @Test func repositoryWithSHA256IDsIsRead() throws {
    let fixture = try RepositoryFixture(objectFormat: "sha256")
    try fixture.load(Self.one)
    let repository = try GitRepository(at: fixture.path)
    let history = try repository.history(of: "list.json", at: "HEAD")
    #expect(history.map(\.commit.count) == [64])
    var reader = try BlobReader(history.compactMap(\.blob), in: repository)
    #expect(try reader.next() == Array("[1]".utf8))
    #expect(try reader.next() == nil)
  }

  @Test func folderWithoutARepositoryFileAndMissingPathAreRefused() throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("file")
    try Data("x".utf8).write(to: file)
    for path in [folder.path, file.path, folder.path + "/none"] {
      let error = #expect(throws: GitError.self) { try GitRepository(at: path) }
      guard case .notARepository(path, let reason) = error else {
        Issue.record("\(path): \(String(describing: error))")
        continue
      }
      #expect((reason?.contains("not a git repository") == true) == (path == folder.path))
    }
  }

  @Test func headOfARepositoryWithoutCommitsIsRefused() throws {
    let fixture = try RepositoryFixture()
    #expect(throws: GitError.noSuchCommit("HEAD")) { try Self.messages(fixture.path) }
  }

  /// PATH has no git, or is not set.
  @Test(arguments: [nil, "", "/nonexistent:relative"])
  func missingGitProgramIsReported(_ path: String?) throws {
    let fixture = try RepositoryFixture()
    let environment = path.map { ["PATH": $0] } ?? [:]
    #expect(throws: GitError.noGit) {
      try GitRepository(at: fixture.path, environment: environment)
    }
  }

  @Test func gitVariablesOfTheUserChangeNothing() throws {
    let (fixture, other) = (try RepositoryFixture(), try RepositoryFixture())
    try fixture.load(Self.one)
    try other.load(FixtureCommit("other", .write("list.json", "[2]")))
    var environment = ProcessInfo.processInfo.environment
    environment["GIT_DIR"] = other.path
    environment["GIT_WORK_TREE"] = "/"
    environment["GIT_OBJECT_DIRECTORY"] = other.path + "/objects"
    environment["GIT_NAMESPACE"] = "elsewhere"
    environment["GIT_LITERAL_PATHSPECS"] = "1"
    environment["GIT_CONFIG_COUNT"] = "bad"
    #expect(try Self.messages(fixture.path, environment: environment) == ["one"])
  }

  @Test func shallowCloneIsRefusedFromTheStartAndReadAfterACommitItHolds() throws {
    let fixture = try RepositoryFixture()
    try fixture.load((0..<4).map { FixtureCommit("\($0)", .write("list.json", "[\($0)]")) })
    try fixture.git("clone", "-q", "--bare", "--depth", "2", "file://\(fixture.path)", "../shallow")
    let path = fixture.url.deletingLastPathComponent().appendingPathComponent("shallow").path
    let repository = try GitRepository(at: path)
    #expect(throws: GitError.shallow) { try repository.history(of: "list.json", at: "HEAD") }
    let commits = try fixture.commits()
    let rest = try repository.history(of: "list.json", at: "HEAD", after: commits[2])
    #expect(rest.map(\.message) == ["3"])
    #expect(throws: GitError.rewritten(position: commits[0], ref: "HEAD")) {
      try repository.history(of: "list.json", at: "HEAD", after: commits[0])
    }
  }

  @Test func partialCloneReportsMissingBlobsAndFetchesNothing() throws {
    let fixture = try RepositoryFixture()
    try fixture.git("config", "uploadpack.allowFilter", "true")
    try fixture.load(Self.one)
    try fixture.git(
      "clone", "-q", "--bare", "--filter=blob:none", "file://\(fixture.path)", "../partial")
    let path = fixture.url.deletingLastPathComponent().appendingPathComponent("partial").path
    let repository = try GitRepository(at: path)
    let history = try repository.history(of: "list.json", at: "HEAD")
    var reader = try BlobReader(history.compactMap(\.blob), in: repository)
    #expect(throws: GitError.self) { try reader.next() }
  }

  /// A repository from a stranger may name programs in its configuration; none is run.
  @Test func repositoryConfigurationRunsNoProgramAndChangesNoAnswer() throws {
    let fixture = try RepositoryFixture(isBare: false)
    try fixture.load(Self.one)
    let mark = fixture.url.appendingPathComponent("mark")
    let program = fixture.url.appendingPathComponent("program")
    try ExecutableFile.write("#!/bin/sh\necho run >> '\(mark.path)'\n", to: program)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: program.path)
    try Self.sign(fixture)
    for (key, value) in [
      ("core.fsmonitor", program.path), ("gpg.program", program.path),
      ("log.showSignature", "true"), ("core.pager", program.path), ("pager.log", program.path),
      ("diff.external", program.path), ("core.worktree", ".."), ("diff.relative", "true"),
      ("log.diffMerges", "off"), ("log.follow", "true"), ("diff.noprefix", "true"),
      ("i18n.logOutputEncoding", "ISO-8859-1"), ("color.ui", "always"), ("core.abbrev", "4"),
      ("log.date", "relative"), ("format.pretty", "oneline"), ("diff.renames", "copies"),
    ] {
      try fixture.git("config", key, value)
    }
    #expect(try Self.messages(fixture.path) == ["one", "signed é"])
    #expect(!FileManager.default.fileExists(atPath: mark.path))
  }

  /// Adds a commit with a signature.
  private static func sign(_ fixture: RepositoryFixture) throws {
    try fixture.load(FixtureCommit("signed é", .write("list.json", "[2]")))
    let commit = try fixture.git("cat-file", "commit", "HEAD")
    let end = try #require(commit.range(of: "\n\n"))
    let signature = "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n eA==\n -----END PGP SIGNATURE-----"
    let signed = commit[..<end.lowerBound] + signature + commit[end.lowerBound...]
    let id = try fixture.git(
      ["hash-object", "-t", "commit", "-w", "--stdin"], input: Array(signed.utf8))
    try fixture.git("update-ref", "refs/heads/main", id)
  }
}
