import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SQLiteStore
import SyncService
import Terminal

struct CompactVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Packs the changes of lists, so that they take fewer bytes.",
    discussion: """
      Sorts the changes of old versions and the texts of items into compressed blocks. Versions, \
      cursors and answers stay the same, and others may read and write meanwhile.

      New versions are plain rows, which take several times the bytes. When these outweigh \
      the packed ones, they are packed by themselves: after an import, a bundle or a copy, after \
      a commit to a list that is not long, and by the server while it runs. Each change is packed \
      again now and then, together with newer ones. --whole packs everything at once, which takes \
      the fewest bytes. --vacuum returns the freed space to the system.

      --unpack makes plain rows again, for programs that read them with SQL. The list then stays \
      plain until it is compacted without --unpack.

      EXAMPLE
        listsync compact
        listsync compact parks --whole --vacuum
        listsync compact parks --unpack
      """)

  @Argument(
    help: "The list; all lists without one.", completion: .lists,
    transform: ListName.init(argument:))
  var list: ListName?
  @Flag(help: "Pack everything again.") var whole = false
  @Flag(help: "Make plain rows of the packed ones, and keep the list plain.") var unpack = false
  @Flag(help: "Return the freed space to the system. This rewrites the whole file.")
  var vacuum = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if unpack, whole { throw ValidationError("--whole packs, and --unpack does the opposite.") }
  }

  func run() async throws {
    let file = vacuum ? try store.file(for: .writing) : nil
    let service = try store.service(on: file ?? store.store(for: .writing))
    let lists = if let list { [list] } else { try await service.lists().map(\.name) }
    var outcomes: [(list: ListName, outcome: CompactOutcome)] = []
    for list in lists {
      let outcome =
        unpack ? try await service.unpack(list) : try await service.compact(list, isWhole: whole)
      outcomes.append((list, outcome))
    }
    if let file {
      do {
        _ = try await file.vacuum()
      } catch let error as StoreError {
        throw VerbError.vacuum(error)
      }
    }
    if answer.isJSON {
      try Output.object { writer in
        writer.array("lists") { writer in
          for (list, outcome) in outcomes {
            writer.object {
              $0.member("list", list.text)
              $0.member("packed", outcome.packedCount)
              $0.member("repacked", outcome.repackedCount)
              $0.member("unpacked", outcome.unpackedCount)
            }
          }
        }
      }
    } else {
      for (list, outcome) in outcomes {
        let count = unpack ? outcome.unpackedCount : outcome.packedCount
        let changes = Wording.count(count, "change")
        let again = outcome.repackedCount > 0 ? ", \(outcome.repackedCount) packed again" : ""
        try Output.line("\(list): \(changes) \(unpack ? "unpacked" : "packed")\(again)")
      }
    }
  }
}
