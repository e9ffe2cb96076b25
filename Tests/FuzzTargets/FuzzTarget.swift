import Gzip
import ListChanges
import ListDocuments
import ListModel
import ListStore
import SyncService

/// Readers of untrusted bytes. Each target is a reader, with the laws of the inputs it accepts. A
/// seeded mutator in the tests and libFuzzer both run these targets.
public enum FuzzTarget: String, CaseIterable, Sendable {
  case json, ndjson, csv, delta, merge, edits, bundle, gzip, part, words
  case snapshotDelta = "snapshot-delta"
  case keptChanges = "kept-changes"
  case idPart = "id-part"

  /// A reader accepted an input and broke a law.
  public struct Finding: Error, CustomStringConvertible {
    public let description: String
  }

  /// Reads an input; returns whether any of it was accepted.
  ///
  /// - Throws: `Finding`. A refused input makes an error in the reader, and no finding. A trap ends
  ///   the process.
  public func run(_ bytes: [UInt8]) throws(Finding) -> Bool {
    switch self {
    case .json: try SnapshotTarget(format: .json).run(bytes)
    case .ndjson: try SnapshotTarget(format: .ndjson).run(bytes)
    case .csv: try SnapshotTarget(format: .csv).run(bytes)
    case .delta: try DeltaTarget.runDelta(bytes)
    case .merge: try DeltaTarget.runMerge(bytes)
    case .edits: try DeltaTarget.runEdits(bytes)
    case .snapshotDelta: try DeltaTarget.runSnapshot(bytes)
    case .bundle: try BundleTarget.run(bytes)
    case .gzip: try GzipTarget.run(bytes)
    case .part: try CodingTarget.runPart(bytes)
    case .keptChanges: try CodingTarget.runKeptChanges(bytes)
    case .idPart: try CodingTarget.runIDPart(bytes)
    case .words: try WordTarget.run(bytes)
    }
  }
}

/// - Throws: `FuzzTarget.Finding` when the condition is false.
func expect(
  _ holds: Bool, _ promise: @autoclosure () -> String
) throws(FuzzTarget.Finding) {
  if !holds { throw FuzzTarget.Finding(description: promise()) }
}
