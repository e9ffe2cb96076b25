import Foundation
import ListModel
import ListStore
import SQLiteStore
import Testing

/// A store whose file is replaced or removed while it is open.
@Suite struct ReplacedFileTests {
  /// Puts a copy of the store at its path.
  private func replace(_ folder: StoreFolder) throws {
    let copy = folder.path + ".copy"
    try FileManager.default.copyItem(atPath: folder.path, toPath: copy)
    try #require(rename(copy, folder.path) == 0)
  }

  @Test func writeToAReplacedFileIsRefused() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a"])
    try replace(folder)
    let refusal = await #expect(throws: StoreError.self) { try await store.append(["b"]) }
    #expect(refusal == .replaced(store: folder.path))
  }

  @Test func writeToARemovedFileIsRefused() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try FileManager.default.removeItem(atPath: folder.path)
    let refusal = await #expect(throws: StoreError.self) { try await store.append(["a"]) }
    #expect(refusal == .replaced(store: folder.path))
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test func commitThatOverlapsAFileReplacementIsNotAcknowledged() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    let path = folder.path
    let refusal = await #expect(throws: StoreError.self) {
      try await store.write { writer in
        _ = try writer.createList(ListName("late")!)
        try Data().write(to: URL(fileURLWithPath: path + ".new"))
        rename(path + ".new", path)
      }
    }
    #expect(refusal == .replaced(store: path))
  }

  @Test func stateMarkDetectsAReplacedFileWithoutAWrite() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    _ = try await store.stateMark()
    try replace(folder)
    await #expect(throws: StoreError.replaced(store: folder.path)) {
      try await store.stateMark()
    }
  }

  @Test func writeComparesTheFileTwiceAndAReadNever() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    let before = store.fileComparisonCount
    _ = try await store.read { try $0.tokens() }
    #expect(store.fileComparisonCount == before)
    for _ in 0..<10 { try await store.append(["a"], to: "list") }
    #expect(store.fileComparisonCount == before + 20)
  }

  @Test func storeAcceptsWritesAfterItsFileIsMovedBack() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    rename(folder.path, folder.path + ".away")
    await #expect(throws: StoreError.self) { try await store.append(["a"]) }
    rename(folder.path + ".away", folder.path)
    try await store.append(["a"])
  }
}
