import ArgumentParser
import ListDocuments
import ListModel
import SyncService

struct GrepVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grep",
    abstract: "Finds the items of a list that contain a text.",
    discussion: """
      The text is looked for in the ids, and in every string and number of the items. Each line \
      has an item and the first member with the text. With --all-versions, former contents are \
      searched too, and each line begins with the versions that have the text. The exit code is 1 \
      if there is none.

      EXAMPLE
        listsync grep parks canyon -i
        listsync grep parks "Mount McKinley" --all-versions
      """)

  @Argument(help: .list, completion: .lists, transform: ListName.init(argument:)) var list: ListName
  @Argument(help: "The text, compared byte by byte.") var text: String
  @Flag(
    name: [.customShort("i"), .customLong("ignore-case")], help: "Ignore upper and lower case.")
  var ignoresCase = false
  @Flag(name: .customLong("all-versions"), help: "Search all kept versions.")
  var isEverywhere = false
  @OptionGroup var store: StoreArguments
  @OptionGroup var colour: ColourOptions
  @OptionGroup var pager: PagerOptions
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    var isEmpty = true
    try await pager.page {
      let service = try store.service()
      let results = try await service.search(
        text, ignoresCase: ignoresCase, in: list, everywhere: isEverywhere)
      isEmpty = results.isEmpty
      try write(results, titlePath: await service.titlePath(of: list))
    }
    if isEmpty { throw ExitCode(1) }
  }

  private func write(_ results: [SearchResult], titlePath: JSONPointer?) throws {
    if answer.isJSON {
      return try JSONArrayOutput.write(results) { $0.members(of: $1) }
    }
    let palette = colour.palette
    for result in results {
      let member = result.member.map { path, value in
        "  \(Wording.path(path))  \(palette.green(Wording.short(value)))"
      }
      let item = Wording.item(result.id, result.content, titlePath: titlePath) + (member ?? "")
      let versions = isEverywhere ? palette.yellow(Self.text(of: result.versions)) + "  " : ""
      try Output.line(versions + item)
    }
  }

  /// `3–7, 9`
  private static func text(of ranges: [ClosedRange<Version>]) -> String {
    ranges.map { range in
      let (first, last) = (range.lowerBound, range.upperBound)
      return first == last ? "\(first)" : "\(first)–\(last)"
    }.joined(separator: ", ")
  }
}
