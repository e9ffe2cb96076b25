import Foundation
import TestSupport
import Testing

/// The files of `Tests/Conformance` are what this program writes. `LISTSYNC_UPDATE_VECTORS=1`
/// writes them anew.
@Suite struct VectorFileTests {
  @Test func checkedInVectorsAreThoseOfTheProgram() throws {
    let files = try VectorFile.all()
    for file in files {
      if ProcessInfo.processInfo.environment["LISTSYNC_UPDATE_VECTORS"] != nil {
        try Data(file.bytes).write(to: file.url)
      }
      let found = try Data(contentsOf: file.url)
      #expect(found == Data(file.bytes), "LISTSYNC_UPDATE_VECTORS=1 writes \(file) anew")
    }
    #expect(files.reduce(0) { $0 + $1.bytes.count } < 910_000)
    let names = try FileManager.default.contentsOfDirectory(atPath: VectorFile.folder.path)
    #expect(
      names.filter { $0.hasSuffix(".json") }.sorted() == files.map { "\($0).json" }.sorted())
  }

  @Test(arguments: try VectorFile.all().map(\.name))
  func everyVectorHasANameOfItsOwn(file: String) throws {
    let names = try VectorFile.read(file).map { try #require($0["name"]?.text) }
    #expect(Set(names.map { Array($0.utf8) }).count == names.count)
  }

  /// `Documentation/Protocol.md` has a line for each rule with the files that hold its vectors.
  @Test func everyRuleNamesItsVectors() throws {
    var files: [String: Set<String>] = [:]
    for name in try VectorFile.all().map(\.name) {
      for rule in try VectorFile.read(name).flatMap({ $0["rules"]?.elements ?? [] }) {
        files[try #require(rule.text), default: []].insert(name)
      }
    }
    let page = try String(
      contentsOf: Project.root.appendingPathComponent("Documentation/Protocol.md"), encoding: .utf8)
    let rules = page.components(separatedBy: "\n**P").dropFirst()
    for (number, text) in rules.enumerated() {
      let rule = "P\(number + 1)"
      #expect(text.hasPrefix("\(number + 1)** "), "the rules are numbered: \(text.prefix(20))")
      let line = try #require(text.split(separator: "\n").first { $0.contains("ectors: ") })
      let named = line.hasPrefix("Vectors: ") ? line.components(separatedBy: "`") : []
      let names = named.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
      #expect(Set(names) == files.removeValue(forKey: rule) ?? [], "\(rule)")
    }
    #expect(files.isEmpty, "the page has no such rules")
  }
}
