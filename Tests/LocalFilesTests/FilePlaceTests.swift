import Foundation
import LocalFiles
import TestSupport
import Testing

/// Names and the files that they lead to.
@Suite struct FilePlaceTests {
  private func folder() throws -> (url: URL, path: String) {
    let url = try TemporaryFolder.make()
    return (url, try #require(realpath(url.path, nil).map { String(cString: $0) }))
  }

  @Test(arguments: ["x", "./x", ".//x", "sub/../x", "link/../x", "to-x", "to-to-x"])
  func everyPathOfAFileResolvesToTheSamePlace(name: String) throws {
    let (url, path) = try folder()
    defer { try? FileManager.default.removeItem(at: url) }
    try FileManager.default.createDirectory(
      at: url.appendingPathComponent("sub/inner"), withIntermediateDirectories: true)
    // The system goes up from where a link leads, and not from where it lies.
    #expect(symlink("sub/inner", path + "/link") == 0)
    #expect(symlink("x", path + "/to-x") == 0 && symlink("\(path)/to-x", path + "/to-to-x") == 0)
    for place in ["x", "sub/x"] { try Data().write(to: url.appendingPathComponent(place)) }
    let place = try FilePlace("\(path)/\(name)")
    #expect(place.path == (name.hasPrefix("link") ? "\(path)/sub/x" : "\(path)/x"))
    #expect(place.status?.kind == .regular && place.name == "x")
    #expect(place.isBehindLink == name.hasPrefix("to-"))
  }

  @Test(arguments: ["", "x/", "x/y", ".", "..", "sub/", "none/x", "loop", "a\0b"])
  func pathThatCannotHoldAFileIsRefused(name: String) throws {
    let (url, path) = try folder()
    defer { try? FileManager.default.removeItem(at: url) }
    try Data().write(to: url.appendingPathComponent("x"))
    #expect(symlink("loop", path + "/loop") == 0)
    do throws(FilePlace.Unreachable) {
      _ = try FilePlace(name.isEmpty ? "" : "\(path)/\(name)")
      Issue.record("\(name) leads to a place")
    } catch {
      #expect(error.isMissing == (name == "none/x") && !error.reason.isEmpty)
    }
  }

  @Test func slashBeforeACombiningMarkIsASeparator() throws {
    let (url, path) = try folder()
    defer { try? FileManager.default.removeItem(at: url) }
    let place = try FilePlace(path + "/\u{301}x")
    #expect(place.folder == path && Array(place.name.utf8) == Array("\u{301}x".utf8))
  }

  @Test func hardLinksOfOneFileAreTheSamePlace() throws {
    let (url, path) = try folder()
    defer { try? FileManager.default.removeItem(at: url) }
    try Data().write(to: url.appendingPathComponent("x"))
    #expect(link(path + "/x", path + "/hard") == 0)
    let places = try ["x", "hard", "none"].map { try FilePlace("\(path)/\($0)") }
    #expect(places[0].isSame(as: places[1]) && places[0].status?.linkCount == 2)
    #expect(!places[0].isSame(as: places[2]) && places[2].isSame(as: places[2]))
  }
}
