import ParkLists

/// The stores that several rows measure. Each is built for the first row that needs it.
///
/// A caller gets the path of a store that no process has open. A row that writes takes a copy.
final class Stores {
  struct Built {
    let path: String
    let versionCount: Int
    let itemCount: Int
    /// The bytes of the contents that all versions after the first wrote.
    let writtenByteCount: Int
    /// The bytes of the file after the first version.
    let firstByteCount: Int
  }

  private unowned let bench: Workbench
  private var built: [String: Built] = [:]

  init(bench: Workbench) { self.bench = bench }

  /// 1,000,000 items at scale 1, and one version of 100 changes.
  func large() async throws -> Built {
    try await build(
      "large", itemCount: bench.scaled(1_000_000), versionCount: 1, mix: .typical(changes: 100))
  }

  /// 1,000 items, and one version of 100 changes.
  func small() async throws -> Built {
    try await build("small", itemCount: 1_000, versionCount: 1, mix: .typical(changes: 100))
  }

  /// 1,000,000 items and 1,000 versions of 100 changes at scale 1.
  func long() async throws -> Built {
    try await build(
      "long", itemCount: bench.scaled(1_000_000), versionCount: bench.scaled(1_000),
      mix: .typical(changes: 100))
  }

  /// 10,000 items, and 10,000 versions of one update each at scale 1.
  func deep() async throws -> Built {
    try await build(
      "deep", itemCount: 10_000, versionCount: bench.scaled(10_000), mix: EditMix(updates: 1))
  }

  private func build(
    _ name: String, itemCount: Int, versionCount: Int, mix: EditMix
  ) async throws -> Built {
    if let known = built[name] { return known }
    Progress.note(
      """
      building a store of \(Figures.count(itemCount)) items and \
      \(Figures.count(versionCount)) versions of \(mix.changeCount) changes
      """)
    let path = bench.newPath("\(name).db")
    let result = try await Self.fill(path, itemCount, versionCount, mix)
    built[name] = result
    return result
  }

  private static func fill(
    _ path: String, _ itemCount: Int, _ versionCount: Int, _ mix: EditMix
  ) async throws -> Built {
    var history = try await ParkHistory(path: path, of: ParkList(count: itemCount, seed: 4))
    let firstByteCount = try StoreSize.byteCount(of: path)
    var writtenByteCount = 0
    for _ in 0..<versionCount {
      var list = history.list
      for park in list.edit(mix) {
        writtenByteCount += list.content(of: park).count + park.id.utf8.count
      }
      try await history.commit(list)
    }
    return Built(
      path: path, versionCount: versionCount + 1, itemCount: itemCount,
      writtenByteCount: writtenByteCount, firstByteCount: firstByteCount)
  }
}
