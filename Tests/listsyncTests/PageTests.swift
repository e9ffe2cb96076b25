import Foundation
import TestSupport
import Testing

/// The README and the pages under `Documentation` are true: their sessions print what they show,
/// and what they link to and name exists. `LISTSYNC_UPDATE_DOCUMENTATION=1` writes the sessions
/// again.
@Suite struct PageTests {
  /// The paths of all pages, from the project's root.
  static let pages: [String] = {
    let folder = Project.root.appendingPathComponent("Documentation")
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    let pages = (names ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "Documentation/\($0)" }
    return ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + pages
  }()

  private static func text(_ page: String) throws -> String {
    try String(contentsOf: Project.root.appendingPathComponent(page), encoding: .utf8)
  }

  @Test(arguments: pages) func everySessionPrintsWhatThePageShows(page: String) async throws {
    let parts = try Self.text(page).components(separatedBy: "```console\n")
    let session = try PageSession(page: page)
    var written = parts[0]
    for part in parts.dropFirst() {
      let end = try #require(part.range(of: "```")).lowerBound
      let printed = try await session.run(part[..<end])
      if ProcessInfo.processInfo.environment["LISTSYNC_UPDATE_DOCUMENTATION"] == nil {
        #expect(part[..<end] == printed, "LISTSYNC_UPDATE_DOCUMENTATION=1 writes it again")
      }
      written += "```console\n" + printed + part[end...]
    }
    if ProcessInfo.processInfo.environment["LISTSYNC_UPDATE_DOCUMENTATION"] != nil {
      try written.write(
        to: Project.root.appendingPathComponent(page), atomically: true, encoding: .utf8)
    }
  }

  /// Commands outside of the sessions would never run. Those that need an example's server may
  /// stay.
  @Test(arguments: pages) func everyCommandIsInASession(page: String) throws {
    let texts = try Self.text(page).components(separatedBy: "```console\n").enumerated()
      .map { index, part in index == 0 ? part[...] : part[(part.range(of: "```")?.upperBound)!...] }
    for line in texts.flatMap({ $0.split(separator: "\n") }) {
      guard line.hasPrefix("    ") || line.hasPrefix("$ ") else { continue }
      let program = line.split(separator: " ").first { $0 != "$" }
      let isRunnable = ["listsync", "listsyncd", "curl", "sqlite3"].contains(program)
      #expect(!isRunnable || line.contains("https://lists.example"), "\(page): \(line)")
    }
  }

  /// The rows of the table of targets are in the order in which they import each other.
  @Test func everyTargetImportsOnlyWhatTheMapOfTheSourcesSays() throws {
    let table = try #require(
      try Self.text("CONTRIBUTING.md").components(separatedBy: "| Target | Contents |").last)
    let rows = table.components(separatedBy: "\n\n")[0].components(separatedBy: "\n").dropFirst(2)
      .map { Set(Self.quoted($0.components(separatedBy: " | ")[0])) }
    let names = rows.reduce(into: Set()) { $0.formUnion($1) }
    let targets = try Self.text("Package.swift").components(separatedBy: "\n  targets: [")[1]
    var count = 0
    for part in targets.components(separatedBy: "arget(").dropFirst() {
      let words = part.components(separatedBy: "\"")
      guard words.count > 1, let row = rows.firstIndex(where: { $0.contains(words[1]) }) else {
        continue
      }
      count += 1
      let last = rows[rows.count - 1]
      let allowed = row == rows.count - 1 ? last : rows[...row].reduce(last) { $0.union($1) }
      let list = part.components(separatedBy: "dependencies: [").dropFirst().first ?? ""
      let imported = Set(list.components(separatedBy: "]")[0].components(separatedBy: "\""))
        .intersection(names)
      #expect(imported.isSubset(of: allowed), "\(words[1]): \(imported.subtracting(allowed))")
    }
    #expect(count == names.count)
  }

  @Test(arguments: pages.filter { $0 != "README.md" })
  func everyPageBeginsWithItsReaders(page: String) throws {
    let parts = try Self.text(page).components(separatedBy: "\n\n")
    #expect(parts[0].hasPrefix("# "))
    #expect(parts[1].hasPrefix("This page is for "), "\(page) does not say for whom it is")
  }

  @Test(arguments: pages) func everyLinkLeadsToAFile(page: String) throws {
    let folder = Project.root.appendingPathComponent(page).deletingLastPathComponent()
    let targets = try Self.text(page).components(separatedBy: "](").dropFirst()
      .compactMap { $0.split(separator: ")").first }.filter { !$0.hasPrefix("http") }
    for target in targets {
      let path = folder.appendingPathComponent(String(target)).path
      #expect(FileManager.default.fileExists(atPath: path), "\(page) links to \(target)")
    }
  }

  @Test func everyPromiseNamesAnExistingTest() throws {
    // On that page, a word in backquotes without a space or sign is a test, or its suite.
    let names = Self.quoted(try Self.text("Documentation/Promises.md"))
      .filter { $0 != "diverged" && $0.allSatisfy { $0.isLetter || $0 == "." } }
      .flatMap { $0.components(separatedBy: ".") }
    #expect(names.count > 10)
    let sources = try Self.sources(in: "Tests")
    let tests = Self.declared(["func", "struct", "class", "enum"], in: sources)
    for name in names { #expect(tests.contains(name), "no test is called \(name)") }
  }

  @Test func everySuiteThatAPageOrADecisionNamesExists() throws {
    let folder = Project.root.appendingPathComponent("Documentation/Decisions")
    let decisions = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .map { "Documentation/Decisions/\($0)" }
    let text = try (["Tests/README.md"] + Self.pages + decisions).map(Self.text).joined()
    let names = Self.quoted(text).filter { name in
      name.allSatisfy(\.isLetter) && ["Tests", "Campaign"].contains { name.hasSuffix($0) }
    }
    #expect(names.count > 100)
    let suites = Self.declared(["struct", "class"], in: try Self.sources(in: "Tests"))
    let targets = try Self.text("Package.swift")
    for name in Set(names) where !suites.contains(name) {
      #expect(targets.contains("name: \"\(name)\""), "no suite is called \(name)")
    }
  }

  /// A section without a line of its own has that of the section around it.
  @Test func everyTableOfFiguresStatesItsDayCommitAndMachine() throws {
    let origin = /Measured on \d{4}-\d\d-\d\d \(commit [0-9a-f]{7}\)/
    for part in try Self.text("Documentation/Performance.md").components(separatedBy: "\n## ") {
      let sections = part.components(separatedBy: "\n### ")
      for section in sections where section.contains("\n|---") {
        let measured = [section, sections[0]].first { $0.contains(origin) }
        let isOnAMachine = measured?.contains("cores") == true
        #expect(isOnAMachine, "\(section.prefix { $0 != "\n" }) states no day, commit and machine")
      }
    }
  }

  /// `SyncService.docc/Ways.md` names functions by their type, and says how many a way has.
  @Test func everyFunctionOfTheWaysPageBelongsToItsType() throws {
    let page = try Self.text("Sources/SyncService/SyncService.docc/Ways.md")
    let members = try Self.members(in: "Sources")
    for way in page.components(separatedBy: "\n## ").dropFirst() {
      let names = Self.quoted(way).filter { $0.contains(".") }
      let strangers = names.filter { !members.contains($0) }
      #expect(strangers.isEmpty, "no type has this function of its own")
      let counted = way.firstMatch(of: /\n(\d+) functions/).flatMap { Int($0.1) }
      #expect(counted == names.count, "\(way.prefix { $0 != "\n" })")
    }
  }

  /// The parts of a text that stand in single backquotes.
  private static func quoted(_ text: String) -> [String] {
    text.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
  }

  /// The functions and properties of the types in a folder, as `Type.name`. A declaration belongs
  /// to the nearest type above it that has less indentation.
  private static func members(in folder: String) throws -> Set<String> {
    let types: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "extension"]
    let functions: Set<Substring> = ["func", "var"]
    var members: Set<String> = []
    for text in try texts(in: folder) {
      var open: [(indentation: Int, name: Substring)] = []
      for line in text.split(separator: "\n") where !line.contains("//") {
        let words = line.split(separator: " ", maxSplits: 6)
        let keyword = words.firstIndex { types.contains($0) || functions.contains($0) }
        let isInitializer = words.contains { $0.hasPrefix("init(") || $0.hasPrefix("init?(") }
        guard keyword != nil || isInitializer else { continue }
        let indentation = line.prefix { $0 == " " }.count
        while let last = open.last, last.indentation >= indentation { open.removeLast() }
        guard let keyword, words.indices.contains(keyword + 1) else {
          if let type = open.last { members.insert("\(type.name).init") }
          continue
        }
        let name =
          words[keyword + 1].drop { $0 == "[" }
          .prefix { $0.isLetter || $0.isNumber || $0 == "." }.split(separator: ".").last ?? ""
        if types.contains(words[keyword]) {
          open.append((indentation, name))
        } else if let type = open.last {
          members.insert("\(type.name).\(name)")
        }
      }
    }
    return members
  }

  /// The names behind keywords. One search for each keyword takes much less time than one for each
  /// name.
  private static func declared(_ keywords: [String], in sources: String) -> Set<String> {
    keywords.reduce(into: []) { names, keyword in
      for part in sources.components(separatedBy: "\(keyword) ").dropFirst() {
        names.insert(String(part.prefix { $0.isLetter || $0.isNumber }))
      }
    }
  }

  private static func sources(in folder: String) throws -> String {
    try texts(in: folder).joined()
  }

  private static func texts(in folder: String) throws -> [String] {
    let folder = Project.root.appendingPathComponent(folder)
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return try (files?.allObjects ?? []).compactMap { $0 as? URL }
      .filter { $0.pathExtension == "swift" }
      .map { try String(contentsOf: $0, encoding: .utf8) }
  }
}
