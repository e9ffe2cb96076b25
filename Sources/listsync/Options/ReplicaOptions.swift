import ArgumentParser

/// The replica files of a verb: the copies that `listsync pull` keeps. They are only read.
struct ReplicaOptions: ParsableArguments {
  @Option(
    name: .customLong("replica"), help: .file("A replica's file, as 'listsync pull' keeps it."),
    completion: .file())
  var paths: [String] = []
}
