import ArgumentParser

struct BundleVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bundle",
    abstract: "Carries versions from store to store in a file.",
    discussion: """
      A bundle holds a range of a list's versions: all of them, or those since one that the other \
      store has. Applied there, they have the same cursors. The file proves itself. \
      Tokens stay where they are.

      EXAMPLE
        listsync bundle create parks -o parks.bundle.gz
        listsync bundle create parks --since 7 -o parks-since-7.bundle
        listsync bundle verify parks.bundle.gz
        listsync bundle apply parks.bundle.gz --store other.db
      """,
    subcommands: [BundleCreate.self, BundleVerify.self, BundleApply.self])
}
