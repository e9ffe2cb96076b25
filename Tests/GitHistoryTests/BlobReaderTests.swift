import Foundation
import GitHistory
import TestSupport
import Testing

/// The contents of objects, as they come out of the pipe.
struct BlobReaderTests {
  /// Around the sizes of the reader's buffer and of pipes.
  private static let sizes = [0, 1, 2, 511, 65_535, 65_536, 65_537, 131_072, 1_000_003, 0, 7]

  /// Line ends and zero bytes are included.
  @Test func readerReturnsBlobsOfEverySizeWholeAndInOrder() throws {
    var random = SeededRandom.forThisRun()
    let contents = Self.sizes.map { size in
      (0..<size).map { _ in [0x0A, 0x00, 0x20, 0xFF].randomElement(using: &random)! as UInt8 }
    }
    let fixture = try RepositoryFixture()
    let blobs = try contents.map { try fixture.git(["hash-object", "-w", "--stdin"], input: $0) }
    let repository = try GitRepository(at: fixture.path)
    // Far more requests and answers than any pipe holds, the same object again and again included.
    let order = (0..<200).map { _ in Int.random(in: 0..<blobs.count, using: &random) }
    var reader = try BlobReader(order.map { blobs[$0] }, in: repository)
    for index in order { #expect(try reader.next() == contents[index], "seed \(random.seed)") }
    #expect(try reader.next() == nil)
  }

  @Test func missingObjectAndNonBlobObjectAreRefused() throws {
    let fixture = try RepositoryFixture()
    try fixture.load(FixtureCommit("", .write("a", "[1]")))
    let repository = try GitRepository(at: fixture.path)
    let absent = String(repeating: "0", count: 39) + "1"
    let blob = try fixture.git("rev-parse", "HEAD:a")
    var reader = try BlobReader([blob, absent], in: repository)
    #expect(try reader.next() == Array("[1]".utf8))
    #expect(throws: GitError.missing(object: absent)) { try reader.next() }
    let commit = try fixture.git("rev-parse", "HEAD")
    var other = try BlobReader([commit, blob], in: repository)
    #expect(throws: GitError.noBlob(commit, kind: "commit")) { try other.next() }
    #expect(try other.next() == Array("[1]".utf8))
  }

  @Test func contentsThatAPartialCloneLacksAreListedAndMissing() throws {
    let fixture = try RepositoryFixture()
    try fixture.load(
      FixtureCommit("", .write("a", "[1]")), FixtureCommit("", .write("b", "[2]")),
      FixtureCommit("", .write("a", "[3]")))
    let blobs = try ["HEAD:a", "HEAD~1:a", "HEAD:b"].map { try fixture.git("rev-parse", $0) }
    #expect(try GitRepository(at: fixture.path).missingBlobs(of: "a", at: "HEAD") == [])
    try fixture.git("config", "uploadpack.allowFilter", "true")
    let clone = fixture.url.deletingLastPathComponent().appendingPathComponent("partial").path
    try fixture.git(
      "clone", "--quiet", "--bare", "--filter=blob:none", "file://\(fixture.path)", clone)
    let partial = try GitRepository(at: clone)
    #expect(try partial.missingBlobs(of: "a", at: "HEAD") == Set(blobs[..<2]))
    var reader = try BlobReader([blobs[0]], in: partial)
    #expect(throws: GitError.missing(object: blobs[0])) { try reader.next() }
  }

  @Test func damagedObjectIsAnErrorRatherThanAShorterContent() throws {
    let fixture = try RepositoryFixture()
    let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
    let blob = try fixture.git(["hash-object", "-w", "--stdin"], input: content)
    let file = fixture.url.appendingPathComponent("objects/\(blob.prefix(2))/\(blob.dropFirst(2))")
    var bytes = try Data(contentsOf: file)
    bytes.removeLast(bytes.count / 2)
    try FileManager.default.removeItem(at: file)
    try bytes.write(to: file)
    var reader = try BlobReader([blob], in: GitRepository(at: fixture.path))
    #expect(throws: GitError.self) { try reader.next() }
  }

  @Test func abandonedReaderEndsGitAndBlocksNoCaller() throws {
    let fixture = try RepositoryFixture()
    let content = [UInt8](repeating: 0x20, count: 1 << 20)
    let blob = try fixture.git(["hash-object", "-w", "--stdin"], input: content)
    let repository = try GitRepository(at: fixture.path)
    for count in 0...2 {
      var reader = try BlobReader(Array(repeating: blob, count: 100), in: repository)
      for _ in 0..<count { #expect(try reader.next()?.count == content.count) }
    }
  }
}
