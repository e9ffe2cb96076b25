import ArgumentParser
import ListDocuments
import ListModel

/// Cursors that were kept outside of what a verb verifies.
struct AgainstOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      A cursor that you kept, or a file with such cursors: what 'listsync lists --json' or \
      'listsync log LIST --json' printed, or a signed head. Refuse a history that does not \
      contain them.
      """,
      valueName: "cursor|file"),
    completion: .file())
  var against: [String] = []
  @OptionGroup var signer: KeyOptions

  func validate() throws {
    if signer.text != nil, against.isEmpty || against.contains(where: { Cursor(given: $0) != nil })
    {
      throw ValidationError("--key: name a file with a signed head with --against.")
    }
  }

  /// - Throws: `VerbError.unreadable`, `.refused`, `.noCursors`.
  func entries() throws -> [KeptCursors.Entry] {
    let (limits, key) = (try Settings.limits(), try signer.key())
    return try against.flatMap { word -> [KeptCursors.Entry] in
      if let cursor = Cursor(given: word) { return [.init(list: nil, cursor: cursor)] }
      let bytes = try InputFile.bytes(of: word, limits: limits)
      if let key { return [try Self.entry(in: bytes, of: word, signedBy: key)] }
      do throws(DeltaError) {
        return try KeptCursors(bytes, limits: limits).entries
      } catch {
        throw VerbError.noCursors(word, error)
      }
    }
  }

  private static func entry(
    in bytes: [UInt8], of word: String, signedBy key: VerifierKey
  ) throws -> KeptCursors.Entry {
    do throws(HeadRefusal) {
      guard let note = SignedHead.note(in: bytes) else { throw .unsigned }
      let head = try SignedHead(note: note, signedBy: key)
      return .init(list: head.list, cursor: head.cursor)
    } catch {
      throw VerbError.refused(word, error)
    }
  }

  /// The kept cursors of a list, including those without a list's name. Empty without --against.
  ///
  /// - Throws: as ``entries()``; `VerbError.noCursorsOf` when all are of other lists.
  func cursors(of list: ListName) throws -> [Cursor] {
    let cursors = try entries().filter { $0.list == nil || $0.list == list }.map(\.cursor)
    guard against.isEmpty || !cursors.isEmpty else { throw VerbError.noCursorsOf(list) }
    return cursors
  }

  /// The line about a history that has so many kept cursors.
  func line(_ place: String, _ count: Int) -> String {
    "\(place): its history has \(Wording.count(count, "kept cursor"))"
  }
}
