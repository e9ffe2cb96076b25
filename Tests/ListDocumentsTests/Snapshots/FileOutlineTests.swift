import ListModel
import TestSupport
import Testing

@testable import ListDocuments

/// The outline of a file that is long for the reader.
struct FileOutlineTests {
  private func reader(_ options: SnapshotOptions) -> SnapshotReader {
    var reader = SnapshotReader(options: options)
    reader.chunkByteCount = 100
    return reader
  }

  private func file(_ count: Int, isLines: Bool, spaces: String = "") -> [UInt8] {
    let items = (0..<count).map { #"{"v":\#($0 % 7),\#(spaces)"id":"park-\#($0)"}"# }
    return Array(
      (isLines ? items.joined(separator: "\n") : "[\(items.joined(separator: ",\(spaces)"))]").utf8)
  }

  @Test(arguments: [true, false], [true, false])
  func anOutlineHasTheTreeAndTheItemsOfTheFile(isLines: Bool, usesAllCores: Bool) throws {
    var options = SnapshotOptions(format: isLines ? .ndjson : .json)
    options.usesAllCores = usesAllCores
    let bytes = file(9_000, isLines: isLines, spaces: isLines ? " " : "\n ")
    let read = try SnapshotReader(options: options).read(bytes).snapshot
    let (outline, leftOutCount, _) = try reader(options).outline(bytes)
    #expect(outline.snapshotInMemory == nil, "the file was read as a short one")
    #expect(outline.root == Root(of: read))
    #expect(outline.count == 9_000 && leftOutCount == 0)
    let isSame = outline.snapshot == read && outline.items(in: [0..<9_000]) == read.items
    #expect(isSame)
    let ends = outline.tree.groupEnds
    var random = SeededRandom.forThisRun()
    for _ in 0..<20 {
      // Every second range between some ends of groups.
      let chosen = ends.filter { _ in random.chance(3) }
      let ranges = zip(chosen, chosen.dropFirst()).enumerated()
        .filter { $0.offset % 2 == 0 }.map { $0.element.0..<$0.element.1 }
      let isSame = outline.items(in: ranges) == ranges.flatMap { read.items[$0] }
      #expect(isSame, "\(ranges)")
    }
  }

  @Test(arguments: [SnapshotOptions.Duplicates.keepFirst, .keepLast])
  func aFileIsReadWholeForAPolicyThatLeavesItemsOut(
    duplicates: SnapshotOptions.Duplicates
  ) throws {
    let bytes = file(200, isLines: false)
    let whole = try SnapshotReader(options: SnapshotOptions()).read(bytes).snapshot
    let outline = try reader(SnapshotOptions(duplicates: duplicates)).outline(bytes).outline
    #expect(outline.snapshotInMemory == whole)
  }

  @Test func faultsAreThoseOfReading() throws {
    var limits = Limits.standard
    limits[.items] = 150
    var small = Limits.standard
    small[.commitBytes] = 4_000
    let good = String(decoding: file(200, isLines: false), as: UTF8.self)
    for (text, options) in [
      (String(good.dropLast()), SnapshotOptions()),
      (good.replacing(#""id":"park-100""#, with: #""no":"park-100""#), SnapshotOptions()),
      (good.replacing("park-7\"", with: "park-\u{1}\""), SnapshotOptions()),
      (good, SnapshotOptions(limits: limits)), (good, SnapshotOptions(limits: small)),
      (good, SnapshotOptions(idRule: try IDRule(["key"]))),
      (good, SnapshotOptions(items: JSONPointer("/rows"))),
    ] {
      let error = try #require(refusal(of: text.utf8, options: options))
      #expect(throws: error) { try reader(options).outline(Array(text.utf8)) }
    }
  }

  @Test(arguments: [0, 7, 149, 151, 199], [true, false])
  func anIDThatIsTwiceIsRefused(number: Int, usesAllCores: Bool) throws {
    let bytes = Array(
      String(decoding: file(200, isLines: false), as: UTF8.self)
        .replacing("\"park-150\"", with: "\"park-\(number)\"").utf8)
    var options = SnapshotOptions()
    options.usesAllCores = usesAllCores
    let error = try #require(refusal(of: bytes))
    #expect(throws: error) { try reader(options).outline(bytes) }
  }

  @Test func anEmptyListHasTheEmptyTree() throws {
    let bytes = Array("[\(String(repeating: " ", count: 2_000))]".utf8)
    let outline = try reader(SnapshotOptions()).outline(bytes).outline
    #expect(outline.snapshotInMemory == nil && outline.count == 0 && outline.root == .empty)
    #expect(outline.items(in: []) == [])
  }
}

extension RootTree {
  /// 0, and the index behind the last item of each group of level 1.
  fileprivate var groupEnds: [Int] {
    func groups(_ node: RootNode) -> [RootNode] {
      node.level == 1 ? [node] : node.groups.flatMap(groups)
    }
    return groups(top).reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.itemCount) }
  }
}
