import Foundation
import ListDocuments
import ListModel
import TestSupport
import Testing

/// A reader's result for a file: its items, or the error.
enum Outcome: Equatable {
  case read(Snapshot, leftOutCount: Int)
  case refused(SnapshotError)

  init(_ read: () throws(SnapshotError) -> ReadSnapshot) {
    do throws(SnapshotError) {
      let file = try read()
      self = .read(file.snapshot, leftOutCount: file.leftOutCount)
    } catch {
      self = .refused(error)
    }
  }
}

struct ItemReaderTests {
  private func outcome(
    _ bytes: [UInt8], _ options: SnapshotOptions, chunkByteCount: Int
  ) -> Outcome {
    var reader = SnapshotReader(options: options)
    reader.chunkByteCount = chunkByteCount
    return Outcome { () throws(SnapshotError) in try reader.read(bytes) }
  }

  private func expectSame(
    _ bytes: [UInt8], _ options: SnapshotOptions = SnapshotOptions(), _ comment: Comment
  ) {
    let whole = outcome(bytes, options, chunkByteCount: .max / 4)
    for chunkByteCount in [1, 3, 20, 64, 333] {
      #expect(
        outcome(bytes, options, chunkByteCount: chunkByteCount) == whole,
        "\(comment), chunks of \(chunkByteCount)")
    }
  }

  /// Spellings of a snapshot as an array or as lines, with values that resemble starts of items.
  private func document(_ random: inout SeededRandom, isLines: Bool) -> String {
    let spaces = isLines ? [""] : ["", "", " ", "\n", "\r\n  "]
    func space(_ random: inout SeededRandom) -> String { spaces.randomElement(using: &random)! }
    var items: [String] = []
    for number in 0..<Int.random(in: 0...12, using: &random) {
      let values = [
        "1", "1.50", #""x""#, #"" ,{\"id\":""#, #"[{"id":1},{"id":2}]"#, #"{"id":{"id":3}}"#,
        #""é😀""#, "[[],[]]", "null",
      ]
      let id = Int.random(in: 0..<12, using: &random) == 0 ? number / 2 : number
      let members = [#""id":\#(id)"#, #""v":\#(values.randomElement(using: &random)!)"#]
      let ordered = Bool.random(using: &random) ? members : members.reversed()
      items.append(
        "{" + space(&random) + ordered.joined(separator: "," + space(&random)) + space(&random)
          + "}")
    }
    if isLines { return items.joined(separator: "\n") + "\n" }
    return "[" + space(&random) + items.joined(separator: space(&random) + "," + space(&random))
      + space(&random) + "]"
  }

  @Test func readingInPartsEqualsOneReadingForWholeCutAndDamagedInput() {
    var random = SeededRandom.forThisRun()
    for round in 0..<6 {
      let isLines = round % 2 == 1
      let options = SnapshotOptions(
        format: isLines ? .ndjson : .json,
        duplicates: SnapshotOptions.Duplicates.allCases.randomElement(using: &random)!)
      let bytes = Array(document(&random, isLines: isLines).utf8)
      let comment: Comment = "seed \(random.seed), round \(round)"
      expectSame(bytes, options, comment)
      for place in bytes.indices {
        expectSame(Array(bytes[..<place]), options, comment)
        var damaged = bytes
        damaged[place] = [0x22, 0x2C, 0x5D, 0x7B, 0x7D, 0xFF].randomElement(using: &random)!
        expectSame(damaged, options, comment)
      }
    }
  }

  @Test func itemsUnderAPointerAreReadInPartsAndTheRestIsChecked() throws {
    let items = (0..<50).map { #"{"id":"\#($0)","v":[{"id":0}]}"# }.joined(separator: ",")
    let options = SnapshotOptions(items: JSONPointer("/data"))
    for end in ["]}", "],\"x\":1}", "]", "]}x", "],\"data\":[]}"] {
      expectSame(Array("{\"a\":[{\"id\":1}],\"data\":[\(items)\(end)".utf8), options, "\(end)")
    }
  }

  @Test func firstErrorInTheFileIsReported() {
    let good = (0..<40).map { #"{"id":\#($0)}"# }
    for first in stride(from: 0, to: 40, by: 3) {
      var items = good
      for index in first..<40 where index % 2 == first % 2 { items[index] = #"{"id":x}"# }
      let bytes = Array("[\(items.joined(separator: ","))]".utf8)
      let offset = 1 + good[..<first].reduce(0) { $0 + $1.utf8.count + 1 } + 6
      for chunkByteCount in [4, 30, 1000] {
        guard
          case .refused(let error) = outcome(
            bytes, SnapshotOptions(), chunkByteCount: chunkByteCount)
        else {
          Issue.record("not refused")
          continue
        }
        #expect(error.position?.offset == offset)
      }
    }
  }

  @Test(
    .enabled(
      if: Shared.has("suites/json-parsing.tar.xz"),
      "skipped: suites/json-parsing.tar.xz is not beside the checkout"))
  func everyFileOfJSONTestSuiteHasOneOutcomeInAnyParts() throws {
    let folder = try Shared.unpack("suites/json-parsing.tar.xz")
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = try FileManager.default.contentsOfDirectory(
      at: folder.appendingPathComponent("test_parsing"), includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "json" }
    #expect(files.count == 318)
    for file in files {
      let value = Array(try Data(contentsOf: file))
      // 100,000 nested brackets are refused after 512.
      guard value.count < 10_000 else { continue }
      let items = (0..<6).map { Array("{\"id\":\($0),\"v\":".utf8) + value + Array("}".utf8) }
      let bytes = Array("[".utf8) + Array(items.joined(separator: [0x2C])) + Array("]".utf8)
      let options = SnapshotOptions(format: .json)
      expectSame(bytes, options, "\(file.lastPathComponent)")
      expectSame(value, options, "\(file.lastPathComponent)")
    }
  }
}
