import Foundation
import LocalFiles
import TestSupport
import Testing

/// Files that take their place when they are whole.
@Suite struct FileReplacementTests {
  private final class Folder: Sendable {
    let url: URL

    init() throws { url = try TemporaryFolder.make() }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    }

    func write(_ text: String, to name: String) throws {
      try Data(text.utf8).write(to: url.appendingPathComponent(name))
    }

    func text(_ name: String) throws -> String {
      String(decoding: try Data(contentsOf: url.appendingPathComponent(name)), as: UTF8.self)
    }
  }

  private func replace(
    _ path: String, with text: String, replacing: FileReplacement.Replaceable = .everything
  ) throws {
    let file = try FileReplacement(path: path, replacing: replacing)
    try FileHandle(fileDescriptor: file.descriptor, closeOnDealloc: false)
      .write(contentsOf: Data(text.utf8))
    try file.finish()
  }

  @Test func replacementKeepsThePermissionsOfTheFile() throws {
    let folder = try Folder()
    try replace(folder.path("new"), with: "1", replacing: .nothing)
    #expect(try folder.text("new") == "1")
    #expect(throws: FileError.alreadyThere(path: folder.path("new"))) {
      try replace(folder.path("new"), with: "2", replacing: .nothing)
    }
    chmod(folder.path("new"), 0o604)
    try replace(folder.path("new"), with: "2")
    #expect(try folder.text("new") == "2")
    var status = stat()
    #expect(stat(folder.path("new"), &status) == 0 && status.st_mode & 0o7777 == 0o604)
    #expect(try folder.names() == ["new"])
  }

  @Test func documentReplacesNoDatabase() throws {
    let folder = try Folder()
    try folder.write("SQLite format 3\0 and a page", to: "store")
    #expect(symlink("store", folder.path("link")) == 0)
    for name in ["store", "link"] {
      #expect(throws: FileError.isDatabase(path: folder.path(name))) {
        try replace(folder.path(name), with: "text", replacing: .documents)
      }
    }
    // Nor a file of SQLite beside one, which may have its newest commits.
    for name in ["store-wal", "store-shm", "store-journal"] {
      try folder.write("", to: name)
      #expect(throws: FileError.isDatabase(path: folder.path(name))) {
        try replace(folder.path(name), with: "text", replacing: .documents)
      }
      unlink(folder.path(name))
    }
    // Nor one that came while the document was written.
    try folder.write("SQLite format 3", to: "text")
    let file = try FileReplacement(path: folder.path("text"), replacing: .documents)
    try folder.write("SQLite format 3\0", to: "text")
    #expect(throws: FileError.isDatabase(path: folder.path("text"))) { try file.finish() }
    file.discard()
    #expect(try folder.names() == ["link", "store", "text"])
    #expect(try folder.text("store") == "SQLite format 3\0 and a page")
    try replace(folder.path("store"), with: "copy")
    #expect(try folder.text("store") == "copy")
  }

  @Test func replacementKeepsALinkAndReplacesItsTarget() throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(
      atPath: folder.path("real"), withIntermediateDirectories: false)
    try folder.write("old", to: "real/file")
    #expect(symlink("real/file", folder.path("first")) == 0)
    #expect(symlink(folder.path("first"), folder.path("second")) == 0)
    #expect(throws: FileError.alreadyThere(path: folder.path("second"))) {
      try replace(folder.path("second"), with: "new", replacing: .nothing)
    }
    try replace(folder.path("second"), with: "new")
    #expect(try folder.text("real/file") == "new")
    for (link, target) in [("first", "real/file"), ("second", folder.path("first"))] {
      #expect(
        try FileManager.default.destinationOfSymbolicLink(atPath: folder.path(link)) == target)
    }
    // A link that leads nowhere yet.
    #expect(symlink("real/none", folder.path("third")) == 0)
    try replace(folder.path("third"), with: "made", replacing: .nothing)
    #expect(try folder.text("real/none") == "made")
    #expect(symlink("loop", folder.path("loop")) == 0)
    #expect(throws: FileError.self) { try replace(folder.path("loop"), with: "x") }
    #expect(try folder.names() == ["first", "loop", "real", "second", "third"])
  }

  @Test func onlyARegularFileIsReplaced() throws {
    let folder = try Folder()
    #expect(mkfifo(folder.path("fifo"), 0o600) == 0)
    let paths = [folder.path("fifo"), "/dev/null", folder.url.path, folder.path("fifo") + "/", ""]
    for path in paths {
      for replaceable in [FileReplacement.Replaceable.nothing, .documents, .everything] {
        let error = #expect(throws: FileError.self, "\(path)") {
          try replace(path, with: "x", replacing: replaceable)
        }
        guard case .cannotOpen(path, _) = error else {
          Issue.record("\(path): \(String(describing: error))")
          continue
        }
      }
    }
    #expect(try folder.names() == ["fifo"])
  }

  @Test func placeKnowsTheKindOfFileItResolvesTo() throws {
    let folder = try Folder()
    #expect(mkfifo(folder.path("fifo"), 0o600) == 0)
    #expect(symlink("fifo", folder.path("link")) == 0)
    var streams = [folder.path("fifo"), folder.path("link"), "/dev/null"]
    #if os(Linux)
      // Open files of this process, also where they are regular ones.
      try folder.write("", to: "open")
      let descriptor = open(folder.path("open"), O_WRONLY)
      defer { close(descriptor) }
      streams += ["/dev/fd/\(descriptor)", "/proc/self/fd/\(descriptor)"]
    #endif
    for path in streams {
      let kind = try FilePlace(path).status?.kind
      #expect(kind == .pipe || kind == .device, "\(path) is not told to be a stream")
    }
    #expect(try FilePlace(folder.path("none")).status == nil, "a file can be made there")
  }

  @Test func nextReplacementRemovesThePartialFilesOfAKilledProcess() throws {
    let folder = try Folder()
    let abandoned = ["x.0123abcd.partial", "x.0123abcd.partial-journal", "x.89abcdef.partial-wal"]
    let others = [
      "x.0123abcd.partial.txt", "x.012.partial", "x.0123wxyz.partial", "y.0123abcd.partial",
      "x.y.0123abcd.partial", "x.partial",
    ]
    for name in abandoned + others { try folder.write("left", to: name) }
    // Written by a process that is still running.
    let held = try FileReplacement(path: folder.path("x"), replacing: .nothing)
    let journal = held.temporaryPath + "-journal"
    try Data().write(to: URL(fileURLWithPath: journal))
    try replace(folder.path("x"), with: "whole", replacing: .nothing)
    let heldNames = [held.temporaryPath, journal].map {
      URL(fileURLWithPath: $0).lastPathComponent
    }
    #expect(try folder.names() == (others + heldNames + ["x"]).sorted())
    held.discard()
    #expect(try folder.names() == (others + ["x"]).sorted())
  }

  /// Swift takes a composed and a decomposed "é" for the same.
  @Test func partialFileOfALookalikeNameIsKept() throws {
    let folder = try Folder()
    try folder.write("", to: "e\u{301}.1b2c3d4e.partial")
    try replace(folder.path("\u{e9}"), with: "new")
    #expect(try folder.names().count == 2)
    try replace(folder.path("e\u{301}"), with: "new")
    #expect(try folder.names().allSatisfy { !$0.hasSuffix("partial") })
  }

  @Test func fileWithTheLongestNameCanBeReplaced() throws {
    let folder = try Folder()
    let name = String(repeating: "é", count: 127)
    try replace(folder.path(name), with: "x", replacing: .nothing)
    try replace(folder.path(name), with: "y")
    #expect(try folder.names() == [name])
  }

  @Test func unfinishedReplacementLeavesNoFile() throws {
    let folder = try Folder()
    try folder.write("old", to: "x")
    do { _ = try FileReplacement(path: folder.path("x"), replacing: .everything) }
    #expect(try folder.names() == ["x"] && folder.text("x") == "old")
    try folder.write("", to: "x-wal")
    #expect(throws: FileError.self) { try replace(folder.path("x"), with: "new") }
    #expect(try folder.names() == ["x", "x-wal"] && folder.text("x") == "old")
  }
}
