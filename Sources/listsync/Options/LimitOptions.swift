import ArgumentParser
import ListModel
import SyncService

/// How many items a snapshot or delta may change, one option and one flag for each kind of change.
struct LimitOptions: ParsableArguments {
  @Option(
    name: .customLong("max-removed"),
    help: ArgumentHelp(
      "Refuse to remove more items than this, such as 100, 20% or none; remembered.",
      valueName: "limit"),
    transform: ChangeLimit.init(argument:))
  var highestRemoved: ChangeLimit?
  @Flag(
    name: .customLong("force-removed"),
    help: "Remove any number of items with this commit.")
  var forcesRemoved = false
  @Option(
    name: .customLong("max-updated"),
    help: ArgumentHelp("Refuse to update more items than this, likewise.", valueName: "limit"),
    transform: ChangeLimit.init(argument:))
  var highestUpdated: ChangeLimit?
  @Flag(
    name: .customLong("force-updated"),
    help: "Update any number of items with this commit.")
  var forcesUpdated = false

  func complete(_ request: inout CommitRequest) {
    request.limits[.removed] = highestRemoved
    request.limits[.updated] = highestUpdated
    if forcesRemoved { request.forcedChanges.insert(.removed) }
    if forcesUpdated { request.forcedChanges.insert(.updated) }
  }
}

extension ChangeLimit: ArgumentValue {
  package static var argumentRule: String { "write \(rule)." }
}
