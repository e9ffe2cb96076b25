import TestSupport
import Testing

@testable import GitHistory

/// How a file is named.
struct PathTests {
  @Test(arguments: [
    "a b.json", "a\"b'.json", "naïve-🏞.json", "-rf", "--all", ":(glob)**", ":!list", "*", "[ab]",
    "a\nb", "a\tb", "a\\b", "deep/er/-x/list.json", "HEAD", "main", "é/e\u{301}", "..a", "$HOME",
  ])
  func pathIsMatchedLiterally(_ path: String) throws {
    let fixture = try RepositoryFixture()
    try fixture.load(
      FixtureCommit("decoys", .write("x", "1"), .write("a", "2"), .write("\u{E9}/\u{E9}", "3")),
      FixtureCommit("it", .write(path, "[1]")), FixtureCommit("decoy", .write("b", "4")))
    let history = try GitRepository(at: fixture.path).history(of: path, at: "main")
    #expect(history.map(\.message) == ["it"])
  }

  @Test(arguments: [("./a", "a"), ("a//b", "a/b"), ("a/./b", "a/b"), (".a/..b", ".a/..b")])
  func pathIsNormalisedToTheFormOfGit(_ path: String, _ normalised: String) throws {
    #expect(try GitRepository.normalised(path) == normalised)
  }

  @Test(arguments: ["", "/", "/a", "..", "../a", "a/..", "a/../b", ".", "a/", "a\u{0}b"])
  func pathOutsideTheRepositoryIsRefused(_ path: String) throws {
    #expect(throws: GitError.notInside(path: path)) { try GitRepository.normalised(path) }
  }

  @Test func pathWithoutCommitsFolderAndUnknownNameAreEachRefusedByName() throws {
    let fixture = try RepositoryFixture()
    try fixture.load(FixtureCommit("it", .write("data/list.json", "[1]")))
    let repository = try GitRepository(at: fixture.path)
    #expect(throws: GitError.noSuchPath("list.json", ref: "main")) {
      try repository.history(of: "list.json", at: "main")
    }
    #expect(throws: GitError.isFolder(path: "data")) {
      try repository.history(of: "data", at: "main")
    }
    for name in ["", "-x", "--all", "nope", "main..main", "main:data", "\n"] {
      #expect(throws: GitError.noSuchCommit(name)) {
        try repository.history(of: "data/list.json", at: name)
      }
    }
  }
}
