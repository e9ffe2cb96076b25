import Foundation
import TestSupport

/// A repository with one file whose every commit is a version of a list, packed as a clone is.
struct GitRepository {
  let path: String
  let fileName: String
  let commitCount: Int

  /// - Parameter versions: calls its argument with each version's bytes, oldest first.
  init(
    bench: Workbench, fileName: String, versions: ((_ bytes: [UInt8]) throws -> Void) throws -> Void
  ) throws {
    path = bench.newPath("repository")
    self.fileName = fileName
    let stream = bench.newPath("fast-import")
    let output = try Workbench.newFile(stream)
    var count = 0
    try versions { bytes in
      let seconds = 1_600_000_000 + 3_600 * count
      count += 1
      let head = """
        commit refs/heads/main
        committer Ranger <ranger@example.org> \(seconds) +0000
        data \("\(count)".utf8.count + 8)
        version \(count)
        M 100644 inline \(fileName)
        data \(bytes.count)\n
        """
      try output.write(contentsOf: Data(head.utf8))
      try output.write(contentsOf: Data(bytes))
      try output.write(contentsOf: Data("\n".utf8))
    }
    try output.close()
    commitCount = count
    try bench.run(["git", "init", "-q", "-b", "main", path])
    try bench.run(["git", "-C", path, "fast-import", "--quiet"], input: stream)
    try bench.run(["git", "-C", path, "repack", "-adq"])
    try bench.run(["git", "-C", path, "reset", "-q", "--hard"])
    try FileManager.default.removeItem(atPath: stream)
  }

  /// A file with the object name of every version of the file, a line each.
  func objectNames(bench: Workbench) throws -> String {
    let log = bench.newPath("log.txt")
    let format = ["--reverse", "--format=", "--raw", "--no-abbrev", "--", fileName]
    try bench.run(["git", "-C", path, "log"] + format, output: log)
    let names = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map {
      $0.split(separator: " ")[3]
    }
    let list = bench.newPath("objects.txt")
    let lines = names.map { $0 + "\n" }.joined()
    try Data(lines.utf8).write(to: URL(fileURLWithPath: list))
    return list
  }
}

extension GitRepository {
  /// One of the real lists beside the checkout.
  ///
  /// - Throws: `Skipped` when they are not there.
  static func real(_ name: String, bench: Workbench) throws -> GitRepository {
    guard RealList.areThere else { throw Skipped(reason: RealList.skipNote) }
    let folder = try Shared.unpack("data/\(name)/versions.tar.xz")
    defer { try? FileManager.default.removeItem(at: folder) }
    let versions = folder.appendingPathComponent("versions")
    let files = try FileManager.default.contentsOfDirectory(atPath: versions.path).sorted()
    let ending = files.first?.split(separator: ".").last ?? ""
    return try GitRepository(bench: bench, fileName: "\(name).\(ending)") { receive in
      for file in files {
        try receive(Array(Data(contentsOf: versions.appendingPathComponent(file))))
      }
    }
  }
}
