import Foundation
import LocalFiles

/// A git repository in a folder of its own, deleted with this object. `git fast-import` loads its
/// commits, so their ids depend only on the test.
public final class RepositoryFixture: Sendable {
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// The repository: its work tree, or the folder itself if it is bare.
  public let url: URL
  public var path: String { url.path }

  public init(isBare: Bool = true, objectFormat: String = "sha1") throws {
    url = try TemporaryFolder.make().appendingPathComponent("repository")
    let options = (isBare ? ["--bare"] : []) + ["--object-format=\(objectFormat)"]
    try Self.git(["init", "-q"] + options + [url.path], in: url.deletingLastPathComponent())
    try git("symbolic-ref", "HEAD", "refs/heads/main")
  }

  deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

  /// Loads commits; each follows the one before on its branch.
  public func load(_ commits: FixtureCommit...) throws { try load(commits) }

  public func load(_ commits: [FixtureCommit]) throws {
    // Within one stream a branch continues without a parent line.
    var standing = Set(
      try git("for-each-ref", "--format=%(refname:lstrip=2)").split(separator: "\n").map(
        String.init))
    var stream: [UInt8] = []
    for commit in commits {
      let isStanding = standing.remove(commit.branch) != nil
      stream += commit.fastImport(after: isStanding ? "refs/heads/\(commit.branch)^0" : nil)
    }
    try git(["fast-import", "--quiet", "--force"], input: stream)
  }

  /// Loads a commit with a committer line as older programs wrote it, which git would not write.
  public func load(_ commit: FixtureCommit, committer line: String) throws {
    try load(commit)
    let lines = try git("cat-file", "commit", commit.branch).components(separatedBy: "\n").map {
      $0.hasPrefix("committer ") ? "committer \(line)" : $0
    }
    let id = try git(
      ["hash-object", "-t", "commit", "-w", "--literally", "--stdin"],
      input: Array(lines.joined(separator: "\n").utf8))
    try git("update-ref", "refs/heads/\(commit.branch)", id)
  }

  /// The commits of a branch along first parents, oldest first.
  public func commits(_ branch: String = "main") throws -> [String] {
    try git("rev-list", "--first-parent", "--reverse", branch).split(separator: "\n").map {
      String($0)
    }
  }

  @discardableResult
  public func git(_ arguments: String...) throws -> String { try git(arguments) }

  @discardableResult
  public func git(_ arguments: [String], input: [UInt8] = []) throws -> String {
    try Self.git(arguments, in: url, input: input)
  }

  @discardableResult
  private static func git(
    _ arguments: [String], in folder: URL, input: [UInt8] = []
  ) throws -> String {
    let captures = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: captures) }
    let urls = ["in", "out", "err"].map { captures.appendingPathComponent($0) }
    for url in urls { try Data(url == urls[0] ? input : []).write(to: url) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git"] + arguments
    process.currentDirectoryURL = folder
    process.environment = environment
    process.standardInput = try FileHandle(forReadingFrom: urls[0])
    process.standardOutput = try FileHandle(forWritingTo: urls[1])
    process.standardError = try FileHandle(forWritingTo: urls[2])
    try process.start()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let errors = String(decoding: try Data(contentsOf: urls[2]), as: UTF8.self)
      throw Failure(description: "git \(arguments.joined(separator: " ")): \(errors)")
    }
    var text = String(decoding: try Data(contentsOf: urls[1]), as: UTF8.self)
    if text.hasSuffix("\n") { text.removeLast() }
    return text
  }

  private static let environment: [String: String] = {
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") }
    environment["GIT_CONFIG_GLOBAL"] = "/dev/null"
    environment["GIT_CONFIG_NOSYSTEM"] = "1"
    for role in ["AUTHOR", "COMMITTER"] {
      environment["GIT_\(role)_NAME"] = "Ranger"
      environment["GIT_\(role)_EMAIL"] = "ranger@example.org"
      environment["GIT_\(role)_DATE"] = "@1700000000 +0000"
    }
    return environment
  }()
}

/// A commit to load into a ``RepositoryFixture``.
public struct FixtureCommit: Sendable {
  public enum Change: Sendable {
    case write(String, [UInt8], mode: String)
    case remove(String)
    case rename(String, String)

    public static func write(_ path: String, _ text: String, mode: String = "100644") -> Change {
      .write(path, Array(text.utf8), mode: mode)
    }
  }

  public var branch = "main"
  public var message: [UInt8]
  public var author = "Ranger <ranger@example.org>"
  public var authorSeconds: Int64 = 1_600_000_000
  public var seconds: Int64 = 1_700_000_000
  /// The encoding that the commit declares for its texts.
  public var encoding: String?
  /// The commit at which the branch begins.
  public var from: String?
  /// The second parent.
  public var merge: String?
  public var changes: [Change]

  public init(_ message: String, _ changes: Change...) {
    self.init(message: Array(message.utf8), changes)
  }

  public init(message: [UInt8], _ changes: [Change]) {
    self.message = message
    self.changes = changes
  }

  public func with(_ change: (inout FixtureCommit) -> Void) -> FixtureCommit {
    var copy = self
    change(&copy)
    return copy
  }

  fileprivate func fastImport(after tip: String?) -> [UInt8] {
    var bytes = Array("commit refs/heads/\(branch)\n".utf8)
    bytes += "author \(author) \(authorSeconds) +0000\n".utf8
    bytes += "committer \(author) \(seconds) +0130\n".utf8
    if let encoding { bytes += "encoding \(encoding)\n".utf8 }
    bytes += Self.data(message)
    if let from = from ?? tip { bytes += "from \(from)\n".utf8 }
    if let merge { bytes += "merge \(merge)\n".utf8 }
    for change in changes { bytes += Self.line(change) }
    return bytes
  }

  private static func line(_ change: Change) -> [UInt8] {
    switch change {
    case .write(let path, let content, "160000"):
      Array("M 160000 \(String(decoding: content, as: UTF8.self)) \(quoted(path))\n".utf8)
    case .write(let path, let content, let mode):
      Array("M \(mode) inline \(quoted(path))\n".utf8) + data(content)
    case .remove(let path): Array("D \(quoted(path))\n".utf8)
    case .rename(let old, let new): Array("R \(quoted(old)) \(quoted(new))\n".utf8)
    }
  }

  private static func data(_ bytes: [UInt8]) -> [UInt8] {
    Array("data \(bytes.count)\n".utf8) + bytes + Array("\n".utf8)
  }

  private static func quoted(_ path: String) -> String {
    let text = path.replacingOccurrences(of: "\\", with: "\\\\")
      .replacingOccurrences(of: "\"", with: "\\\"").replacingOccurrences(of: "\n", with: "\\n")
    return "\"\(text)\""
  }
}
