import ArgumentParser
import Foundation
import ListDocuments
import TestSupport
import Testing

@testable import PostgresStore
@testable import listsync

/// The answers of every verb with `--json`, judged by the strict form of
/// `Documentation/CommandLine.schema.json`.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct AnswerSchemaTests {
  private static let published = Result {
    let url = Project.root.appendingPathComponent("Documentation/CommandLine.schema.json")
    return JSONSchema(root: try JSONValue(parsing: Data(contentsOf: url)))
  }
  private static let schema = Result { try published.get().strict }

  /// The verbs that do something; `bundle` alone only has verbs.
  private static let verbs = leaves(ListSync.configuration.subcommands, []).map(\.name)

  private static func leaves(
    _ commands: [any ParsableCommand.Type], _ names: [String]
  ) -> [(name: String, type: any ParsableCommand.Type)] {
    commands.flatMap { command in
      let names = names + [command._commandName]
      let inner = command.configuration.subcommands
      return inner.isEmpty ? [(names.joined(separator: "-"), command)] : leaves(inner, names)
    }
  }

  /// Runs in their order on one store. The first one or two words are the verb; the parks are those
  /// of `CommandLineHarness.withParks`. `SERVER` and `REPOSITORY` stand for their places.
  private static let runs = """
    lists
    commit empty empty.json
    lists
    version
    limits
    commit parks BEFORE --dry-run
    commit parks AFTER
    diff parks
    diff parks@1 empty@head
    pull parks SERVER
    log parks
    log parks -p
    log parks --item great-smoky-mountains
    log parks --item great-smoky-mountains --field /name
    log parks --item zion --places
    log parks --item zion --places --first 2
    blame parks
    blame parks --item zion
    grep parks Canyon
    grep parks Smoky --all-versions
    delta parks --since 1
    delta parks --since 1 --as merge
    delta parks --since 2-00000000000000000000000000000000 --fallback snapshot
    delta parks --since 0 --fallback snapshot
    delta parks --since 1 --smaller
    replay parks
    compare BEFORE AFTER
    compare BEFORE AFTER --as merge
    merge BEFORE AFTER other.json --prefer mine -o merged.json
    commit plan BEFORE
    commit plan other.json
    commit plan AFTER --base 1 --prefer mine
    show parks
    show parks@1 --item zion
    prove parks@1 zion --until head
    tag parks spring 1
    tag parks spring 1
    tag parks spring 2 --force
    tag parks
    tag parks spring -d
    edit parks --remove arches
    edit parks --remove zion --dry-run
    revert parks 2 --dry-run
    revert parks 2
    apply BEFORE change.json
    apply BEFORE change.json -o after.json
    bundle-create parks -o parks.bundle
    bundle-create parks --since 1 -o later.bundle
    bundle-verify parks.bundle
    bundle-apply parks.bundle --store other.db
    bundle-apply parks.bundle --store other.db
    report parks -o parks.html
    publish parks empty -o lists
    export parks empty -o history.db
    copy --from listsync.db --to third.db parks
    tag parks kept 1
    tag parks kept 2 --store third.db
    copy --from listsync.db --to third.db parks
    tag parks kept --delete
    import-git REPOSITORY parks.json --list imported
    key-create lists.example
    key-show lists.example.key
    token-create reader --read parks --write team-*
    token-list
    token-revoke reader
    token-list
    prune parks --keep-last 2 --dry-run
    tag parks summer 2
    compact parks --vacuum
    prune parks --keep-last 1 --vacuum
    prune empty --keep-last 1
    prune imported --keep-last 1
    publish imported -o lists
    rename imported former --author ranger
    publish imported -o lists
    drop former --yes
    log parks
    log parks --item zion
    blame parks
    stats
    stats parks
    verify
    check-proof zion.proof --cursor CURSOR
    backup copy.db
    DAMAGE
    verify
    backup other-copy.db
    """

  @Test func everyAnswerForProgramsFitsTheSchemaOfItsVerb() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write("[]", to: "empty.json")
    try harness.write(
      #"[{"id":"great-smoky-mountains","name":"Smokies"}]"#, to: "other.json")
    try harness.write(
      await harness.succeed("delta", "parks", "--since", "1").output, to: "change.json")
    try harness.write(await harness.succeed("prove", "parks", "zion").output, to: "zion.proof")
    let log = try await harness.succeed("log", "parks", "--json").json() as? [[String: Any]]
    let cursor = try #require(log?.first?["cursor"] as? String)
    let repository = try RepositoryFixture()
    try repository.load(
      FixtureCommit("List", .write("parks.json", #"[{"id":"a"}]"#)),
      FixtureCommit("No list", .write("parks.json", "[{")))
    let (server, address) = try await harness.serve()
    let places = [
      "BEFORE": Example.url("parks-before.json").path,
      "AFTER": Example.url("parks-after.json").path,
      "REPOSITORY": repository.path, "SERVER": address, "CURSOR": cursor,
    ]
    var (seen, ran): (Set<String>, Set<String>) = ([], [])
    for line in Self.runs.split(separator: "\n") {
      if line == "DAMAGE" {
        try harness.change("UPDATE versions SET root = zeroblob(32) WHERE list_id = 1")
        continue
      }
      var words = line.split(separator: " ").map { places[String($0)] ?? String($0) }
      var verb = words.removeFirst()
      ran.insert(verb)
      let outcome = try await harness.run(Self.words(of: verb) + words + ["--json"])
      try #require([0, 6].contains(outcome.exitCode), "\(line): \(outcome)")
      // Without a file, the answer is the list itself.
      if line == "apply BEFORE change.json" { verb = "show" }
      let documents = verb == "replay" ? outcome.lines.map { Array($0.utf8) } : [outcome.output]
      for document in documents {
        try judge(document, by: verb, "\(line): \(outcome)", &seen)
      }
    }
    #expect(try await server.end(by: SIGTERM) == 0)
    // It needs a cluster.
    let distribution = Distribution(machines: ["a:5432"], shardCount: 4, wasThere: false)
    let document = JSONWriter.object { StoreDistribute.write(distribution, to: &$0) }
    try judge(document, by: "store-distribute", "", &seen)
    #expect(ran == Set(Self.verbs).subtracting(["store-distribute"]))
    let unseen = Self.memberNames(in: try Self.schema.get().root["$defs"] ?? .null)
      .subtracting(seen).subtracting(Self.memberNames(in: try Self.definition("Problem")))
    #expect(unseen.isEmpty, "no answer has these members")
  }

  @Test(arguments: verbs) func everyErrorIsAProblemOfTheSchema(_ verb: String) async throws {
    let harness = try CommandLineHarness()
    var seen: Set<String> = []
    let verb = Self.words(of: verb)
    for words in [verb + ["--no-such-option", "--json"], ["--json"] + verb + ["x", "y"]] {
      let outcome = try await harness.run(words, environment: ["LISTSYNC_STORE": "none.db"])
      if outcome.exitCode == 0 { continue }
      try judge(Array(outcome.errorText.utf8), by: "Problem", "\(outcome)", &seen)
    }
    #expect(!seen.isEmpty)
  }

  /// Former faults: `delta`, `replay` and others did not know the option.
  @Test func everyVerbHasTheOptionJSON() {
    for (name, type) in Self.leaves(ListSync.configuration.subcommands, []) {
      #expect(type.helpMessage().contains("--json"), "\(name)")
    }
  }

  /// A model that a program makes of the schema must accept what a newer version adds.
  @Test func publishedSchemaAllowsOtherMembersAndTheStrictOneDoesNot() throws {
    let tag = ##"{"list":"l","outcome":"removed","tag":"t","version":1,"later":{"added":1}}"##
    let value = try JSONValue(parsing: tag.utf8)
    let definition = try Self.definition("tag")
    #expect(try Self.published.get().faults(of: value, by: definition) == [])
    let strict = try Self.schema.get().faults(of: value, by: JSONSchema.closed(definition))
    #expect(strict == [": the schema has no later"])
  }

  /// Former fault: `tag` and `Tag` became two types of one name, or one file.
  @Test func definitionsDifferInMoreThanCase() throws {
    let names = try Self.published.get().root["$defs"]?.members.keys.map { $0.lowercased() } ?? []
    #expect(Set(names).count == names.count && !names.isEmpty)
  }

  @Test func schemaNamesNoOtherVerbAndEveryReferenceResolves() throws {
    let schema = try Self.schema.get()
    let names = schema.root["$defs"]?.members.keys.filter { $0.first?.isLowercase == true }
    #expect(Set(names ?? []) == Set(Self.verbs))
    func check(_ value: JSONValue) {
      if value["$ref"] != nil { #expect(schema.resolve(value) != .null, "\(value)") }
      for value in Array(value.members.values) + (value.elements ?? []) { check(value) }
    }
    check(schema.root)
  }

  private func judge(
    _ document: [UInt8], by name: String, _ comment: String, _ seen: inout Set<String>
  ) throws {
    let value = try JSONValue(parsing: document)
    let definition = JSONSchema.closed(try Self.definition(name))
    let faults = try Self.schema.get().faults(of: value, by: definition)
    #expect(faults.isEmpty, "\(faults.joined(separator: "; "))\n\(comment)")
    seen.formUnion(Self.names(in: value))
  }

  private static func definition(_ name: String) throws -> JSONValue {
    try #require(schema.get().root["$defs"]?[name], "no schema for \(name)")
  }

  /// `import-git` is one word, `bundle-create` two.
  private static func words(of verb: String) -> [String] {
    let names = ListSync.configuration.subcommands.map { $0._commandName }
    return names.contains(verb) ? [verb] : verb.split(separator: "-").map(String.init)
  }

  /// The names of all members of a document.
  private static func names(in value: JSONValue) -> Set<String> {
    (Array(value.members.values) + (value.elements ?? []))
      .reduce(into: Set(value.members.keys)) { $0.formUnion(names(in: $1)) }
  }

  /// The names of the members that a schema describes.
  private static func memberNames(in schema: JSONValue) -> Set<String> {
    let own = Set(schema["properties"]?.members.keys.map { $0 } ?? [])
    return (Array(schema.members.values) + (schema.elements ?? []))
      .reduce(into: own) { $0.formUnion(memberNames(in: $1)) }
  }
}
