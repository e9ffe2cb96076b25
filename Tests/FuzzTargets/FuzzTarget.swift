import Gzip
import ListChanges
import ListDocuments
import ListModel
import ListStore
import SyncService

/// What reads bytes of unknown origin: each target is a reader, and what must hold of all that it
/// accepts. The same targets are fed by a seeded mutator in the tests and by libFuzzer.
public enum FuzzTarget: String, CaseIterable, Sendable {
  case json, ndjson, csv, delta, bundle, gzip, part, words
  case snapshotDelta = "snapshot-delta"
  case keptChanges = "kept-changes"

  /// A reader took something and did not keep its promise.
  public struct Finding: Error, CustomStringConvertible {
    public let description: String
  }

  /// Reads an input; whether anything of it was accepted.
  ///
  /// - Throws: `Finding`. What is refused is refused with an error, and no finding; what traps ends
  ///   the process.
  public func run(_ bytes: [UInt8]) throws(Finding) -> Bool {
    switch self {
    case .json: try SnapshotTarget(format: .json).run(bytes)
    case .ndjson: try SnapshotTarget(format: .ndjson).run(bytes)
    case .csv: try SnapshotTarget(format: .csv).run(bytes)
    case .delta: try DeltaTarget.runDelta(bytes)
    case .snapshotDelta: try DeltaTarget.runSnapshot(bytes)
    case .bundle: try BundleTarget.run(bytes)
    case .gzip: try GzipTarget.run(bytes)
    case .part: try CodingTarget.runPart(bytes)
    case .keptChanges: try CodingTarget.runKeptChanges(bytes)
    case .words: try WordTarget.run(bytes)
    }
  }
}

/// - Throws: `FuzzTarget.Finding` when a promise is broken.
func expect(
  _ holds: Bool, _ promise: @autoclosure () -> String
) throws(FuzzTarget.Finding) {
  if !holds { throw FuzzTarget.Finding(description: promise()) }
}
