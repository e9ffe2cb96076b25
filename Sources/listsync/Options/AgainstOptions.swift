import ArgumentParser
import ListDocuments
import ListModel
import Terminal

/// Cursors that were kept outside of what a verb verifies.
struct AgainstOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      A cursor that you kept, or a file with such cursors: what 'listsync lists --json' or \
      'listsync log LIST --json' printed. Refuse a history that does not contain them.
      """,
      valueName: "cursor|file"),
    completion: .file())
  var against: [String] = []

  /// - Throws: `VerbError.unreadable`, `.refused`, `.noCursors`.
  func entries() throws -> [KeptCursors.Entry] {
    let limits = try Settings.limits()
    return try against.flatMap { word -> [KeptCursors.Entry] in
      if let cursor = Cursor(given: word) { return [.init(list: nil, cursor: cursor)] }
      let bytes = try InputFile.bytes(of: word, limits: limits)
      do throws(DeltaError) {
        return try KeptCursors(bytes, limits: limits).entries
      } catch {
        throw VerbError.noCursors(word, error)
      }
    }
  }

  /// The cursors of one list; an entry without a name is one of it. None if none were kept.
  ///
  /// - Throws: as ``entries()``; `VerbError.noCursorsOf` when all are of other lists.
  func cursors(of list: ListName) throws -> [Cursor] {
    let cursors = try entries().filter { $0.list == nil || $0.list == list }.map(\.cursor)
    guard against.isEmpty || !cursors.isEmpty else { throw VerbError.noCursorsOf(list) }
    return cursors
  }

  /// The line that says how many of them a history has.
  func line(_ place: String, _ count: Int) -> String {
    "\(place): its history has \(Wording.count(count, "kept cursor"))"
  }
}
