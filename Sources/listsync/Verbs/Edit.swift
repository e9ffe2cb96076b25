import ArgumentParser
import ListDocuments
import ListModel
import SyncService
import Terminal

struct EditVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Puts single items into a list, or takes them out, without reading the list.",
    discussion: """
      The file of --put holds one item, or several in an array or a line each. An item that is \
      there gets its new content, and stays where it is unless a place is named; a new one comes \
      last. Removals come first; several items are put one after the other.

      EXAMPLE
        listsync edit parks --put zion.json --after yosemite -m "Zion was added"
        listsync edit parks --remove acadia --remove arches
      """)

  @Argument(help: .list) var list: String
  @Option(help: ArgumentHelp("The items to put, or - for standard input.", valueName: "file"))
  var put: String?
  @Option(
    name: .customLong("remove"),
    help: ArgumentHelp(
      "An item to take out; repeat it for several. U+001F joins the parts of a compound id.",
      valueName: "id"))
  var removals: [String] = []
  @Option(help: ArgumentHelp("Put it before this item.", valueName: "id")) var before: String?
  @Option(help: ArgumentHelp("Put it after this item.", valueName: "id")) var after: String?
  @Option(help: ArgumentHelp("Put it at this index, from 0.", valueName: "index")) var at: Int?
  @Flag(help: "Put it at the start.") var first = false
  @Flag(help: "Put it at the end.") var last = false
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var note: NoteOptions
  @Option(
    help: ArgumentHelp(
      "The version that you have seen; anything else at the head refuses the edit.",
      valueName: "cursor"))
  var expect: String?
  @Flag(name: .customLong("dry-run"), help: "Print the delta that would be made; change nothing.")
  var isDryRun = false
  @OptionGroup var store: StoreOptions
  @Flag(help: .json) var json = false

  func run() async throws {
    let name = try ListName(argument: list)
    var request = EditRequest(list: name, edits: try await edits(of: name))
    request.expected = try CommitRequest.Expectation(argument: expect)
    request.author = note.author
    request.message = note.message
    request.time = try note.commitTime()
    if isDryRun {
      try Output.write(DeltaDocument(try await store.service().preview(request)).encoded())
    } else {
      // What is not there is not made by an edit.
      _ = try store.service()
      let outcome = try await store.writingService().edit(request)
      try CommitReport(outcome, of: name).write(asJSON: json)
    }
  }

  private func edits(of name: ListName) async throws -> [Edit] {
    let service = try store.serviceIfThere()
    func id(_ text: String) async throws -> ItemID {
      let written = WrittenID(text)
      guard let service else { return written.spellings[0] }
      return try await written.id(in: name, service)
    }
    let place = try await place(id)
    var edits: [Edit] = []
    for removal in removals { edits.append(.remove(try await id(removal))) }
    guard let put else {
      if edits.isEmpty { throw ValidationError("nothing to do: name --put FILE or --remove ID.") }
      if place != nil { throw ValidationError("a place needs an item: name --put FILE.") }
      return edits
    }
    let remembered = try await service?.idRule(of: name)
    let rule = try reading.givenRule() ?? remembered.flatMap(IDRule.init(text:)) ?? .standard
    var next = place
    for item in try reading.readItems(put, rule: rule).items {
      edits.append(.put(item, next))
      if next != nil { next = .after(item.id) }
    }
    return edits
  }

  private func place(_ id: (String) async throws -> ItemID) async throws -> Edit.Place? {
    let named = [before != nil, after != nil, at != nil, first, last].filter { $0 }
    guard named.count <= 1 else {
      throw ValidationError("name one place only: --before, --after, --at, --first or --last.")
    }
    if let before { return .before(try await id(before)) }
    if let after { return .after(try await id(after)) }
    if let at { return .at(at) }
    return first ? .first : last ? .last : nil
  }
}
