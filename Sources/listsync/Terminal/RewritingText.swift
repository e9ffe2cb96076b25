import ListModel

extension RewritingNotice {
  private static let shownCount = 8

  /// Tells people that a tool seems to have rewritten the list, without a change of the answer.
  ///
  /// - Parameters:
  ///   - list: the list that got the changes; nil if they are only shown.
  ///   - head: its newest version.
  func tell(undoing list: ListName? = nil, _ head: Cursor? = nil) {
    for line in lines { Output.diagnostic(line) }
    if let list, let head, head.version > Version(1) {
      let version = head.version.number - 1
      Output.diagnostic("If nobody meant this, undo it: listsync revert \(list) \(version)")
    }
  }

  /// What the changes have in common.
  var lines: [String] {
    var lines: [String] = []
    if let updates {
      let counts = "\(updates.rewrittenCount) of \(Wording.count(updates.updateCount, "update"))"
      lines.append("\(counts) look like a tool's rewriting, not like edits:")
      let shown = updates.members.prefix(Self.shownCount)
      lines += shown.map { "  \($0.text)" }
      if shown.count < updates.members.count {
        lines.append("  … and \(updates.members.count - shown.count) more")
      }
    }
    if let renumbered {
      let (old, new) = (renumbered.old.text, renumbered.new.text)
      lines.append(
        "\(Wording.count(renumbered.count, "item")) came back under another writing of the id, "
          + "such as '\(Output.printable(new))' for '\(Output.printable(old))'.")
    }
    return lines
  }
}

extension UpdateSummary.Member {
  /// `/created  text → number in 12: "7" → 7`
  var text: String {
    let values = Wording.values(example.change, Palette(.never))
    return "\(Wording.path(path))  \(kind?.rawValue ?? "edited") in \(itemCount): \(values)"
  }
}
