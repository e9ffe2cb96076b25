import ArgumentParser
import ListModel
import SyncService
import Terminal

struct Diff: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the changes between two versions, for people.",
    discussion: """
      Each line starts with the kind of change: - removed, + inserted, > moved, ~ updated. Then \
      come the index in the old list, the index in the new list, or both. Without a version, the \
      last change is shown; with one, the changes from it to the newest version.

      EXAMPLE
        listsync diff parks
        listsync diff parks 1900-01-01 2000-01-01
        listsync diff parks@spring..head --ignore-field /updated_at
        listsync diff parks@5 films@7 --stat
      """)

  @Argument(
    help: ArgumentHelp("\(Comparison.forms); REV is \(Revision.forms).", valueName: "versions"),
    completion: .comparisons)
  var words: [String]
  @OptionGroup var difference: DifferenceOptions
  @OptionGroup var store: StoreOptions
  @OptionGroup var pager: PagerOptions
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    _ = try comparison()
    try difference.validate(isDocument: answer.isJSON)
  }

  private func comparison() throws -> Comparison {
    if let comparison = Comparison(words) { return comparison }
    let text = Output.shortened(words.joined(separator: " "))
    throw ValidationError(
      "'\(text)' names no two versions: write \(Comparison.forms); REV is \(Revision.forms).")
  }

  func run() async throws {
    let comparison = try comparison()
    try await pager.page {
      let delta = try await ProgressLine.timing("comparing") {
        try await store.service().difference(comparison)
      }
      let (old, new) = (comparison.old.list, comparison.new.list)
      let title =
        old == new
        ? nil : "\(old) \(Wording.state(delta.from)) → \(new) \(Wording.state(delta.to))"
      try difference.write(delta, asText: !answer.isJSON, title: title)
    }
  }
}
