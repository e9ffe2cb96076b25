import ArgumentParser
import ListDocuments
import PostgresStore

struct StoreVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Distributes a store over the machines of a Citus cluster.",
    discussion: """
      EXAMPLE
        listsync store distribute --store postgresql://lists_owner@coordinator/lists
      """,
    subcommands: [StoreDistribute.self])
}

struct StoreDistribute: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "distribute",
    abstract: "Distributes the tables of a store over the machines of a Citus cluster.",
    discussion: """
      Each list lies on one machine, with its whole history. The address is that of the \
      coordinator, and the user is the owner of the store. A missing store is created. Programs \
      that have the store open must be started again.

      If the store is distributed already, checks that its tables lie as they should. Run it again \
      after a shard was split.

      EXAMPLE
        listsync store distribute --store postgresql://lists_owner@coordinator/lists
        listsync store distribute --shards 16 --store postgresql://lists_owner@coordinator/lists
      """)

  @Option(
    help: ArgumentHelp(
      "How many groups of lists may lie on different machines (default: 4 for each machine).",
      valueName: "count"))
  var shards: Int?
  @OptionGroup var store: StoreArguments
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if let shards, !(1...1024).contains(shards) {
      throw ValidationError("--shards: a number from 1 to 1024.")
    }
    if !PostgresStore.isAddress(store.path) {
      throw ValidationError("--store: only a PostgreSQL database can be distributed.")
    }
  }

  func run() async throws {
    let distribution = try PostgresStore.distribute(
      address: store.path, schema: store.schema ?? PostgresStore.standardSchema,
      shardCount: shards)
    let shards = Wording.count(distribution.shardCount, "shard")
    let state = distribution.wasThere ? "as it should be" : "now"
    let machines = distribution.machines.joined(separator: ", ")
    try answer.write("the store is distributed \(state): \(shards) on \(machines)") { writer in
      Self.write(distribution, to: &writer)
    }
  }

  static func write(_ distribution: Distribution, to writer: inout JSONWriter) {
    writer.member("outcome", distribution.wasThere ? "unchanged" : "distributed")
    writer.member("shards", distribution.shardCount)
    writer.objects("machines", distribution.machines) { $0.member("address", $1) }
  }
}
