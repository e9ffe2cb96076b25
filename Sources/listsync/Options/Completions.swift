import ArgumentParser
import Foundation
import ListModel
import ListStore
import PostgresStore
import SQLiteStore

/// Names for the shell's completion, from the store that the unfinished command line names.
///
/// Without names if the store is absent, of another version, locked or damaged.
extension CompletionKind {
  static let lists = names { reader, _ in try reader.lists().map(\.name.text) }

  static let tags = names { reader, line in
    try line.list(in: reader).map { try reader.tags(of: $0.key).map(\.name.text) } ?? []
  }

  static let revisions = names { reader, line in
    try line.list(in: reader).map { try revisions(of: $0, reader) } ?? []
  }

  /// `LIST` and `LIST@REV`.
  static let targets = names(targetNames)

  private static func targetNames(
    _ reader: ListReader, _ line: CommandLineWords
  ) throws -> [String] {
    let words = line.prefix.split(separator: "@", omittingEmptySubsequences: false)
    guard words.count == 2 else { return try reader.lists().map(\.name.text) }
    guard let list = try ListName(String(words[0])).flatMap({ try reader.list($0) }) else {
      return []
    }
    return try revisions(of: list, reader).map { "\(words[0])@\($0)" }
  }

  /// `LIST`, `LIST@REV`, or a version of the list before it.
  static let comparisons = names { reader, line in
    if let list = try line.list(in: reader), !line.prefix.contains("@") {
      return try revisions(of: list, reader)
    }
    return try targetNames(reader, line)
  }

  private static let shownVersionCount = 100

  /// The names of the newest versions, and all tags.
  private static func revisions(of list: ListRecord, _ reader: ListReader) throws -> [String] {
    let lowest = max(list.oldest.number, list.head.number - shownVersionCount + 1, 1)
    let versions = (lowest..<max(lowest, list.head.number + 1)).map(String.init)
    return try ["head"] + reader.tags(of: list.key).map(\.name.text) + versions
  }

  private static func names(
    _ names: @escaping @Sendable (ListReader, CommandLineWords) throws -> [String]
  ) -> CompletionKind {
    .custom { (words: [String], _: Int, prefix: String) async in
      let line = CommandLineWords(words: words, prefix: prefix)
      return (try? await line.store().read { try names($0, line) }) ?? []
    }
  }
}

/// An unfinished command line.
private struct CommandLineWords: Sendable {
  /// The first is the program's name.
  let words: [String]
  /// The part of the completed word before the caret.
  let prefix: String

  /// The first word behind the verb that is a list's name.
  func list(in reader: ListReader) throws -> ListRecord? {
    for word in words.dropFirst(2) {
      if let name = ListName(word), let list = try reader.list(name) { return list }
    }
    return nil
  }

  /// Opens the store without waiting for another program's write. A server has two seconds to
  /// accept a connection, the least that libpq allows.
  func store() throws -> any ListStore {
    let path = value(of: "--store") ?? StoreArguments.standardPath
    guard PostgresStore.isAddress(path) else {
      return try SQLiteStore(
        readingFrom: NSString(string: path).expandingTildeInPath, busyTimeoutSeconds: 0)
    }
    return try PostgresStore(
      address: path + (path.contains("?") ? "&" : "?") + "connect_timeout=2",
      schema: value(of: "--schema") ?? PostgresStore.standardSchema, createsMissing: false)
  }

  private func value(of option: String) -> String? {
    // Bash splits --store=FILE into three words.
    if let place = words.firstIndex(of: option) {
      return words[(place + 1)...].first { $0 != "=" } ?? ""
    }
    return words.first { $0.hasPrefix("\(option)=") }.map { String($0.dropFirst(option.count + 1)) }
  }
}
