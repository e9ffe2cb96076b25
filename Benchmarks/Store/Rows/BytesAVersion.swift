import ParkLists

/// Row 8.
struct BytesAVersion: Row {
  static let number = 8
  static let title = "bytes on disk of a one-item change"
  let bench: Workbench

  func findings() async throws -> [Finding] {
    let built = try await bench.stores.deep()
    let versionCount = built.versionCount - 1
    let size = try StoreSize.byteCount(of: built.path)
    let perVersion = Double(size - built.firstByteCount) / Double(versionCount)
    let written = Double(built.writtenByteCount) / Double(versionCount)
    let work = """
      bytes on disk of a one-item change to \(Figures.count(built.itemCount)) items, averaged \
      over \(Figures.count(versionCount)) versions
      """
    return [
      Finding(
        work: work, goal: "≤ content + id + 120 = \(Int(written + 120))",
        measured: "\(Int(perVersion.rounded(.up)))",
        outcome: perVersion <= written + 120 ? .reached : .missed,
        figures: """
          content + id \(Int(written)); file \(Figures.bytes(built.firstByteCount)) after the \
          first version, \(Figures.bytes(size)) after the last: \
          \(try StoreSize.description(of: built.path))
          """)
    ]
  }
}
