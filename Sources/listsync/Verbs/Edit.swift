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
  @Option(help: ArgumentHelp("Put it at this index, from 0.", valueName: "index")) var to: Int?
  @Flag(help: "Put it at the start.") var first = false
  @Flag(help: "Put it at the end.") var last = false
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var options: CommitOptions
  @Flag(name: .customLong("dry-run"), help: "Print the delta that would be made; change nothing.")
  var isDryRun = false
  @OptionGroup var store: StoreOptions
  @Flag(help: .json) var json = false

  func validate() throws {
    if let index = options.time.flatMap({ Int($0) }) {
      throw ValidationError("--at: the time of the edit; the place of an item is --to \(index).")
    }
    try options.check()
  }

  func run() async throws {
    let name = try ListName(argument: list)
    // What is not there is not made by an edit.
    let service = try isDryRun ? store.service() : store.existingService()
    var request = CommitRequest(list: name, edits: try await edits(of: name, service))
    try options.complete(&request)
    if isDryRun {
      try Output.write(DeltaDocument(try await service.preview(request)).encoded())
    } else {
      let outcome = try await service.commit(request)
      try CommitReport(outcome, of: name).write(asJSON: json)
    }
  }

  private func edits(of name: ListName, _ service: SyncService) async throws -> [Edit] {
    func id(_ text: String) async throws -> ItemID {
      try await WrittenID(text).id(in: name, service)
    }
    let place = try await place(id)
    var edits: [Edit] = []
    for removal in removals { edits.append(.remove(try await id(removal))) }
    guard let put else {
      if edits.isEmpty { throw ValidationError("nothing to do: name --put FILE or --remove ID.") }
      if place != nil { throw ValidationError("a place needs an item: name --put FILE.") }
      return edits
    }
    let remembered = try await service.idRule(of: name)
    let rule = try reading.givenRule() ?? remembered.flatMap(IDRule.init(text:)) ?? .standard
    var next = place
    for item in try reading.readItems(put, rule: rule).items {
      edits.append(.put(item, next))
      if next != nil { next = .after(item.id) }
    }
    return edits
  }

  private func place(_ id: (String) async throws -> ItemID) async throws -> Edit.Place? {
    let named = [before != nil, after != nil, to != nil, first, last].filter { $0 }
    guard named.count <= 1 else {
      throw ValidationError("name one place only: --before, --after, --to, --first or --last.")
    }
    if let before { return .before(try await id(before)) }
    if let after { return .after(try await id(after)) }
    if let to { return .at(to) }
    return first ? .first : last ? .last : nil
  }
}
