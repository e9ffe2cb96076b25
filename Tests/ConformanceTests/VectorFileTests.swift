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
    #expect(files.reduce(0) { $0 + $1.bytes.count } < 300_000)
    let names = try FileManager.default.contentsOfDirectory(atPath: VectorFile.folder.path)
    #expect(
      names.filter { $0.hasSuffix(".json") }.sorted() == files.map { "\($0).json" }.sorted())
  }

  @Test(arguments: try VectorFile.all().map(\.name))
  func everyVectorHasANameOfItsOwn(file: String) throws {
    let names = try VectorFile.read(file).map { try #require($0["name"]?.text) }
    #expect(Set(names.map { Array($0.utf8) }).count == names.count)
  }
}
