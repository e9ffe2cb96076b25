import ArgumentParser
import ListDocuments

/// The item that a verb is about, if it is about one.
struct ItemOptions: ParsableArguments {
  @Option(
    name: .customLong("item"),
    help: ArgumentHelp(
      "Only this item. Repeat it for the fields of a compound id.", valueName: "id"))
  var fields: [String] = []

  /// Nil without --item.
  var id: WrittenID? {
    fields.isEmpty ? nil : WrittenID(fields.joined(separator: IDRule.separator))
  }
}
