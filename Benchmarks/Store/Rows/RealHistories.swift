import Foundation
import TestSupport

/// Row 9.
struct RealHistories: Row {
  static let number = 9
  static let title = "bytes on disk of whole real histories"
  let bench: Workbench

  func findings() async throws -> [Finding] {
    guard RealList.areThere else { throw Skipped(reason: RealList.skipNote) }
    return [
      try finding("regions", arguments: [], id: "id", reading: "r"),
      try finding(
        "gov-domains", arguments: ["--duplicates", "keep-first"], id: "Domain Name|Domain name",
        reading: "{('Domain Name' if k == 'Domain name' else k): v for k, v in r.items()}"),
    ]
  }

  /// - Parameters:
  ///   - arguments: what `listsync commit` needs besides the id.
  ///   - id: where the id stands; git-history takes the first of several names.
  ///   - reading: how git-history is to take a row, in Python.
  private func finding(
    _ name: String, arguments: [String], id: String, reading: String
  ) throws -> Finding {
    let (store, use, skippedCount) = try committed(name, arguments + ["--id", id])
    let size = try StoreSize.byteCount(of: store)
    let ours = """
      \(Figures.bytes(size)) in \(Figures.seconds(use)), \
      \(skippedCount) versions refused: \(try StoreSize.description(of: store))
      """
    let work = "bytes on disk of the whole history of \(name)"
    do {
      let other = try gitHistory(name, id: id, reading: reading)
      return Finding(
        work: work, goal: "< git-history", measured: Figures.ratio(Double(size) / Double(other.0)),
        outcome: size < other.0 ? .reached : .missed,
        figures: "\(ours); git-history \(Figures.bytes(other.0)) in \(Figures.seconds(other.1))")
    } catch let error as ProgramFailed where error.status == 127 || error.status == 1 {
      return .skipped(work, "\(ours); git-history: \(error.message.suffix(300))")
    }
  }

  /// Commits every version, a process each: the path of the store, the seconds, and how many
  /// versions broke a rule of lists.
  private func committed(_ name: String, _ arguments: [String]) throws -> (String, Double, Int) {
    let folder = try Shared.unpack("data/\(name)/versions.tar.xz")
    defer { try? FileManager.default.removeItem(at: folder) }
    let versions = folder.appendingPathComponent("versions")
    let store = bench.newPath("\(name).db")
    var (seconds, refusedCount) = (0.0, 0)
    for file in try FileManager.default.contentsOfDirectory(atPath: versions.path).sorted() {
      let path = versions.appendingPathComponent(file).path
      do {
        seconds += try bench.listsync(["commit", name, path] + arguments, store: store)
          .wallSeconds
      } catch is ProgramFailed {
        refusedCount += 1
      }
    }
    return (store, seconds, refusedCount)
  }

  /// The bytes and seconds of git-history's database of the same.
  private func gitHistory(
    _ name: String, id: String, reading: String
  ) throws -> (byteCount: Int, seconds: Double) {
    let repository = try GitRepository.real(name, bench: bench)
    let database = bench.newPath("git-history.db")
    let rows = "csv.DictReader(io.StringIO(content.decode('utf-8-sig')))"
    let use = try bench.run([
      bench.gitHistory, "file", database, repository.path + "/" + repository.fileName, "--repo",
      repository.path, "--branch", "main", "--id", String(id.split(separator: "|")[0]),
      "--ignore-duplicate-ids", "--silent", "--import", "csv", "--import", "io", "--convert",
      "[\(reading) for r in \(rows)]",
    ])
    return (try StoreSize.byteCount(of: database), use.wallSeconds)
  }
}
