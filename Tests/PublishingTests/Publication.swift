import Foundation
import ListDocuments
import ListModel
import Publishing
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// A store, and the folder that its list is published to.
final class Publication {
  let test: TestStore
  let folder: URL
  let base: Int

  init(base: Int = 2) throws {
    (test, folder, self.base) = (try TestStore(), try TemporaryFolder.make(), base)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var place: URL { folder.appendingPathComponent("parks") }

  func commit(_ items: [Item]) async throws {
    _ = try await test.service.commit(
      CommitRequest(list: .parks, snapshot: try Snapshot(items)))
  }

  func publish(signedBy keys: [SigningKey] = []) async throws -> Publisher.Outcome {
    let signer = keys.isEmpty ? nil : HeadSigner(keys)
    return try await Publisher(test.service, folder: folder.path, base: base, signer: signer)
      .publish(.parks)
  }

  func bytes(_ file: String) throws -> [UInt8] {
    Array(try Data(contentsOf: place.appendingPathComponent(file)))
  }

  /// A file with a part replaced.
  func edited(_ file: String, _ part: String, _ other: String) throws -> [UInt8] {
    let text = String(decoding: try bytes(file), as: UTF8.self)
    #expect(text.contains(part))
    return Array(text.replacing(part, with: other).utf8)
  }

  func head() throws -> PublicationHead { try PublicationHead(bytes("head.json")) }

  /// The texts of all elements of the feed with a name.
  func feed(_ element: String) throws -> [String] {
    String(decoding: try bytes("feed.xml"), as: UTF8.self).components(separatedBy: "<\(element)>")
      .dropFirst().map { $0.components(separatedBy: "</\(element)>")[0] }
  }

  /// All files below the folder, without the compressed ones.
  func files() -> Set<String> {
    let all = FileManager.default.enumerator(atPath: place.path)?.allObjects ?? []
    return Set(
      all.compactMap { $0 as? String }.filter { $0.contains(".json") && !$0.hasSuffix(".gz") })
  }

  /// The list to which the deltas lead from a version of it.
  func caughtUp(from snapshot: Snapshot, at version: Version) throws -> ListState {
    let head = try head()
    var list = ProvenList<[Item]>(snapshot)
    for document in try way(from: version) { try list.apply(document) }
    #expect(list.root == head.head.root)
    return head.head
  }

  /// The deltas from a version to the head, found from the head back.
  func way(from version: Version) throws -> [DeltaDocument] {
    let head = try head()
    var (way, cursor): ([DeltaDocument], Cursor?) = ([], head.head.cursor)
    for range in head.ranges.way(from: version, to: head.head.version).reversed() {
      let file = PublicationHead.file(of: range, to: try #require(cursor))
      let document = try DeltaDocument(bytes(file))
      #expect(document.from.version == range.start && document.to.cursor == cursor)
      way.append(document)
      cursor = document.from.cursor
    }
    return way.reversed()
  }

  func whole() throws -> SnapshotDelta {
    try SnapshotDelta(bytes(try #require(try head().whole).file))
  }

  /// The next version of a list: updates, moves, insertions and removals.
  static func edited(_ items: [Item], _ random: inout SeededRandom) throws -> [Item] {
    var items = items
    for _ in 0..<random.number(1...3) {
      switch random.number(0...3) {
      case 0 where items.count > 5: items.remove(at: random.number(0...items.count - 1))
      case 1:
        let new = try Snapshot.of("new\(random.number(0...1 << 30))").items[0]
        items.insert(new, at: random.number(0...items.count))
      case 2: items.append(items.remove(at: random.number(0...items.count - 1)))
      default:
        let index = random.number(0...items.count - 1)
        items[index] = try Snapshot.of("\(items[index].id.text)=\(random.number(1...99))").items[0]
      }
    }
    return items
  }
}
