import ArgumentParser
import ListDocuments
import ListModel
import SyncService

struct EditVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Puts items into a list, moves or removes them, without reading the list.",
    discussion: """
      The file of --put holds one item, or several in an array or one per line. An existing item \
      gets its new content, and stays in its place unless you name another. A new item is put at \
      the end unless you name a place. Removals come first. Several items are put one after the \
      other.

      The file of --from holds one edit per line, in the order in which they are done:
        {"put":{"id":"zion","name":"Zion"},"after":"yosemite"}
        {"remove":"acadia"}
        {"move":"denali","first":true}
      A place is "before" or "after" with an id, "to" with an index, "first" or "last" with true. \
      An item that is put may have its id next to it, as "id".

      EXAMPLE
        listsync edit parks --put zion.json --after yosemite -m "Zion was added"
        listsync edit parks --remove acadia --remove arches
        listsync edit parks --from edits.ndjson -m "Autumn update"
        listsync edit parks --from edits.ndjson --base 7-3f9a1c2b7d40
      """)

  @Argument(help: .list, completion: .lists, transform: ListName.init(argument:)) var list: ListName
  @Option(
    help: ArgumentHelp("The items to put, or - for standard input.", valueName: "file"),
    completion: .file())
  var put: String?
  @Option(
    name: .customLong("remove"),
    help: ArgumentHelp(
      "An item to remove. Repeat it for several. U+001F separates the fields of a compound id.",
      valueName: "id"))
  var removals: [String] = []
  @Option(
    help: ArgumentHelp(
      "Edits, one per line (NDJSON), or - for standard input: all become one version.",
      valueName: "file"), completion: .file())
  var from: String?
  @Option(help: ArgumentHelp("Put the items before this one.", valueName: "id"))
  var before: String?
  @Option(help: ArgumentHelp("Put the items after this one.", valueName: "id"))
  var after: String?
  @Option(help: ArgumentHelp("Put the items at this index, from 0.", valueName: "index"))
  var to: Int?
  @Flag(help: "Put the items at the start.") var first = false
  @Flag(help: "Put the items at the end.") var last = false
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var options: CommitOptions
  @OptionGroup var merging: MergeOptions
  @Flag(name: .customLong("dry-run"), help: "Print the delta without committing it.")
  var isDryRun = false
  @OptionGroup var store: StoreArguments
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    let places = [before != nil, after != nil, to != nil, first, last].filter { $0 }.count
    if places > 1 {
      throw ValidationError("name one place only: --before, --after, --to, --first or --last.")
    }
    if from != nil {
      guard put == nil, removals.isEmpty, places == 0 else {
        throw ValidationError("--from has all edits: leave out --put, --remove and places.")
      }
      guard reading.isOnlyIDRule else {
        throw ValidationError("--from reads NDJSON: of the options for a file, it takes only --id.")
      }
      return
    }
    guard put == nil else { return }
    if removals.isEmpty {
      throw ValidationError("nothing to do: name --put FILE, --remove ID or --from FILE.")
    }
    if places > 0 { throw ValidationError("a place needs an item: name --put FILE.") }
    try merging.validate(with: options)
  }

  func run() async throws {
    // An edit never creates a store.
    let service = try store.service(for: isDryRun ? .reading : .writing)
    guard let from else { return try await commit(edits(service), service) }
    let rule = try await reading.rule(remembered: service.idRule(of: list))
    let limits = try Settings.limits()
    let bytes = try InputFile.bytes(of: from, limits: limits)
    let lines = try await VerbError.naming(from) {
      try EditLines(bytes, idRule: rule, limits: limits)
    }
    do {
      try await commit(lines.edits, service)
    } catch let error as ServiceError {
      guard let index = error.editIndex else { throw error }
      throw VerbError.refused(from, at: lines.position(of: index), error)
    }
  }

  private func commit(_ edits: [Edit], _ service: SyncService) async throws {
    var request = CommitRequest(list: list, edits: edits)
    options.complete(&request)
    merging.complete(&request)
    if isDryRun {
      try Output.delta(
        await VerbError.namingBase(of: list, isMerge: merging.base != nil) {
          try await service.preview(request)
        })
    } else {
      try await answer.write(
        VerbError.namingBase(of: list, isMerge: merging.base != nil) {
          try await service.commit(request)
        }, of: list)
      await service.compactAfterwards(list)
    }
  }

  private func edits(_ service: SyncService) async throws -> [Edit] {
    func id(_ text: String) async throws -> ItemID {
      try await WrittenID(text).id(in: list, service)
    }
    var place: Edit.Place? = to.map { .at($0) } ?? (first ? .first : last ? .last : nil)
    if let before { place = .before(try await id(before)) }
    if let after { place = .after(try await id(after)) }
    var edits: [Edit] = []
    for removal in removals { edits.append(.remove(try await id(removal))) }
    guard let put else { return edits }
    let rule = try await reading.rule(remembered: service.idRule(of: list))
    for item in try reading.read(put, rule: rule, allowsOneItem: true).snapshot.items {
      edits.append(.put(item, place))
      if place != nil { place = .after(item.id) }
    }
    return edits
  }
}

extension ServiceError {
  /// The index of the edit that does not fit; nil when no edit is at fault.
  fileprivate var editIndex: Int? {
    switch self {
    case .itemAbsent(_, _, _, let index): index
    case .besideItself(_, _, let index): index
    case .noSuchPlace(_, _, _, let index): index
    default: nil
    }
  }
}
