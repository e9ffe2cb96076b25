import ListDocuments
import ListModel

/// The contents of a bundle, for people and for programs.
struct BundleReport {
  let summary: BundleSummary

  private var header: BundleHeader { summary.header }
  private var stepCount: Int { header.target.version.number - header.startState.version.number }

  var text: String {
    let start = header.startState.knownCursor
    let from: String =
      switch header.start {
      case .zero: "full"
      case .base: "full, from \(start.short) on, since older versions are pruned"
      case .prerequisite: "incremental, from \(start.short)"
      }
    let steps = Wording.count(stepCount, "step")
    let items = Wording.count(header.target.count, "item")
    return "\(header.list) \(header.target.knownCursor.short): \(from); \(steps); \(items)"
  }

  /// The result of reading the whole bundle.
  var proof: String {
    header.isFull
      ? "complete: the chain and every root match"
      : "complete: the chain matches; roots are verified when the bundle is applied"
  }

  /// Writes the members of the JSON answer.
  func write(to writer: inout JSONWriter) {
    writer.member("list", header.list.text)
    writer.member("kind", header.isFull ? "full" : "incremental")
    writer.member("from", header.startState)
    writer.member("to", header.target)
    writer.member("steps", stepCount)
    writer.member("lines", summary.lineCount)
    writer.member("sha256", summary.digest)
  }
}
