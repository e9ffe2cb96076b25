import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SyncService
import Synchronization

struct Log: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Shows the versions of a list, or the history of one item, newest first.",
    discussion: """
      With --stat, a bar shows the changes of each version: - removed, + inserted, > moved, \
      ~ updated. With -p, each version is followed by its changes, as diff shows them. With --item \
      and --field, the values of one member over time are shown; with --places, the item's index \
      at each version.

      EXAMPLE
        listsync log parks -n 10
        listsync log parks -p --since 2026-01-01 --author ranger
        listsync log parks --changed /name --format oneline
        listsync log parks --item denali
        listsync log films --item tt0111161 --field /rating
        listsync log films --item tt0111161 --places --first 10
      """)

  @Argument(help: .list, completion: .lists, transform: ListName.init(argument:)) var list: ListName
  @OptionGroup var item: ItemOptions
  @Option(
    help: ArgumentHelp("Show the values of this member of the item.", valueName: "pointer"),
    transform: JSONPointer.init(argument:))
  var field: JSONPointer?
  @OptionGroup var places: PlaceOptions
  @OptionGroup var selection: LogSelection
  @Flag(name: [.customShort("p"), .customLong("patch")], help: "Also show the changes.")
  var hasPatches = false
  @Flag(name: .customLong("stat"), help: "Also show the changes of each version as a bar.")
  var hasBars = false
  @Flag(help: "Show the oldest first.") var reverse = false
  @Option(help: "The layout of an entry; ndjson is one JSON object a line.") var format:
    EntryLayout?
  @OptionGroup var store: StoreArguments
  @OptionGroup var times: TimeOptions
  @OptionGroup var colour: ColourOptions
  @OptionGroup var pager: PagerOptions
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if hasBars, item.id != nil || answer.isJSON || format == .ndjson {
      throw ValidationError("--stat: bars are for versions only; leave out --item and --json.")
    }
    if answer.isJSON, format == .full || format == .oneline {
      throw ValidationError("--json: of the layouts, only --format ndjson is for programs.")
    }
    if field != nil, item.id == nil {
      throw ValidationError("--field needs --item ID; --changed finds versions.")
    }
    try places.check(hasItem: item.id != nil)
    if places.isWanted,
      hasPatches || field != nil || selection.author != nil || selection.grep != nil
        || format == .full || format == .oneline
    {
      throw ValidationError(
        "--places: leave out -p, --field, --author, --grep, and --format but for ndjson.")
    }
    if !selection.changed.isEmpty, item.id != nil {
      throw ValidationError("--changed is for versions; with --item, use --field.")
    }
  }

  func run() async throws {
    try await pager.page {
      let service = try store.service()
      let output = LogOutput(
        array: answer.isJSON && format != .ndjson ? JSONArrayOutput() : nil, format: format,
        field: field, isFull: hasPatches, titlePath: try await service.titlePath(of: list),
        palette: colour.palette)
      if let id = item.id, places.isWanted {
        try await writePlaces(of: id.id(in: list, service), output, service)
      } else if let id = item.id {
        try await writeHistory(of: id.id(in: list, service), output, service)
      } else {
        try await writeVersions(output, service)
      }
      try output.array?.finish()
    }
  }

  private func writeVersions(_ output: LogOutput, _ service: SyncService) async throws {
    var (output, steps) = (output, LogSteps(of: list, service))
    var oldest: Version?
    if hasBars || reverse {
      // The scale of the bars, and the last version, are known at the end.
      var records: [VersionRecord] = []
      try await selection.records(of: list, service) { records.append($0) }
      oldest = records.last?.version
      if hasBars { output.bar = bar(for: records) }
      for record in reverse ? records.reversed() : records {
        try await write(record, &output, &steps)
      }
    } else {
      try await selection.records(of: list, service) { record in
        oldest = record.version
        try await write(record, &output, &steps)
      }
    }
    if oldest == nil, !answer.isJSON, format != .ndjson {
      Output.diagnostic(
        selection.isEmpty
          ? "\(list) has no versions yet" : "no version of \(list) fits these options")
    }
    guard !reverse, format != .ndjson else { return }
    let prunes = try await service.prunes(of: list)
    // Older versions may follow the last one that is shown.
    if let oldest, prunes.first?.newOldest == oldest { try prunes.forEach(output.write) }
  }

  private func write(
    _ record: VersionRecord, _ output: inout LogOutput, _ steps: inout LogSteps
  ) async throws {
    let delta = hasPatches ? try await steps.step(to: record) : nil
    try output.write(record, delta)
  }

  private func bar(for records: [VersionRecord]) -> ChangeBar {
    let largest = records.map(\.changes.total).max() ?? 0
    let usedColumns = "    \(largest) ".count
    return ChangeBar(
      largestCount: largest, width: max(1, Screen.size.columns - usedColumns),
      palette: colour.palette)
  }

  /// Keeps the entries until all are read, since a pager that waits would keep the transaction
  /// open.
  private func writeHistory(
    of id: ItemID, _ output: LogOutput, _ service: SyncService
  ) async throws {
    let filter = try await selection.filter(of: list, service)
    let limit = selection.limit ?? .max
    let state = Mutex((remaining: limit, kept: [ItemChange]()))
    let spool = Spool()
    var spooling = output
    spooling.spool = spool
    let (isReversed, log) = (reverse, spooling)
    try await service.continuedHistory(of: id, in: list) {
      spool.restart()
      log.array?.restart()
      state.withLock { $0 = (limit, []) }
    } receive: { entry in
      guard filter.includes(entry.record), log.shows(entry) else { return true }
      if !isReversed { try log.write(entry, of: id) }
      return state.withLock { state in
        if isReversed { state.kept.append(entry) }
        state.remaining -= 1
        return state.remaining > 0
      }
    }
    let (remaining, kept) = state.withLock { $0 }
    try spool.writeOutput()
    for entry in kept.reversed() { try output.write(entry, of: id) }
    // The item's earlier history was pruned.
    if remaining > 0, selection.isEmpty, !reverse, format != .ndjson {
      try await service.prunes(of: list).forEach(output.write)
    }
  }

  private func writePlaces(
    of id: ItemID, _ output: LogOutput, _ service: SyncService
  ) async throws {
    let filter = try await selection.filter(of: list, service)
    let runs = try await service.places(of: id, in: list, first: places.first).runs
      .filter(filter.includes).prefix(selection.limit ?? .max)
    let log = LogPlaces(output: output, first: places.first)
    for run in reverse ? runs.reversed() : Array(runs) { try log.write(run) }
    if runs.isEmpty, !answer.isJSON, format != .ndjson {
      Output.diagnostic("\(id.text) has no such place in \(list)")
    }
    // The item's earlier places were pruned.
    if runs.count < selection.limit ?? .max, selection.isEmpty, !reverse, format != .ndjson {
      try await service.prunes(of: list).forEach(output.write)
    }
  }
}
