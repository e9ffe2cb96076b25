import ArgumentParser
import ListDocuments
import ListModel
import SyncService
import Terminal

struct Lists: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows all lists with their newest version.",
    discussion: """
      EXAMPLE
        listsync lists
      """)

  @OptionGroup var store: StoreOptions
  @Flag(help: .json) var json = false

  func run() async throws {
    let lists = try await store.service().lists()
    if json { return try Output.write(Self.document(lists)) }
    if lists.isEmpty { return Output.note("no lists yet; listsync commit makes the first") }
    let width = lists.map(\.name.text.count).max() ?? 0
    for list in lists {
      let name = list.name.text.padding(to: width)
      let time = list.committedAt.map { Wording.time($0) } ?? "never committed"
      let items = Wording.count(list.head.count, "item")
      try Output.line("\(name)  \(Wording.state(list.head))  \(items)  \(time)")
    }
  }

  private static func document(_ lists: [ListSummary]) -> [UInt8] {
    var writer = JSONWriter()
    writer.array { writer in
      for list in lists {
        writer.lineBreak()
        writer.object { $0.members(of: list) }
      }
    }
    return writer.bytes + "\n".utf8
  }
}

extension String {
  func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  func leftPadding(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
