import ListDocuments
import ListModel
import Terminal

/// What a bundle holds, for people and for programs.
struct BundleReport {
  let summary: BundleSummary

  private var header: BundleHeader { summary.header }
  private var isFull: Bool {
    if case .prerequisite = header.start { false } else { true }
  }

  var text: String {
    let (start, target) = (header.startState, header.target)
    let count = target.version.number - start.version.number
    let steps = Wording.count(count, "step")
    let from: String =
      switch header.start {
      case .zero: "full"
      case .base: "full, from \(start.cursor) on, what was before it is pruned"
      case .prerequisite: "incremental, from \(start.cursor)"
      }
    let items = Wording.count(target.count, "item")
    return "\(header.list) \(target.cursor): \(from); \(steps); \(items)"
  }

  /// What reading it through has proved.
  var proof: String {
    isFull
      ? "whole: the chain and every checksum hold"
      : "whole: the chain holds; the checksums are proved when it is applied"
  }

  var document: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("list", header.list.text)
      writer.member("kind", isFull ? "full" : "incremental")
      writer.member("from", header.startState.state)
      writer.member("to", header.target.state)
      writer.member("steps", header.target.version.number - header.startState.version.number)
      writer.member("lines", summary.lineCount)
      writer.member("sha256", summary.digest)
    }
    return writer.bytes + "\n".utf8
  }
}
