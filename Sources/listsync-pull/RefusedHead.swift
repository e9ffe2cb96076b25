import ListDocuments
import LocalFiles
import Terminal

/// A head that is refused. The notes of a fork are kept beside the copy.
struct RefusedHead: Error {
  let refusal: HeadRefusal
  /// Where the notes are, or themselves; nil if it is no fork.
  let evidence: String?

  init(_ refusal: HeadRefusal, besideCopyAt copyPath: String) {
    self.refusal = refusal
    guard case .forked(let kept, let found) = refusal else {
      evidence = nil
      return
    }
    let path = "\(copyPath).fork"
    do {
      let file = try OutputFile(path, replaces: true)
      try file.write(Array((kept + found).utf8))
      try file.finish()
      evidence = "Both notes are in \(path)"
    } catch {
      evidence = "These are the notes, since \(path) cannot be written:\n\(kept)\(found)"
    }
  }
}

extension Failure {
  init(_ error: RefusedHead) {
    let text = Output.shortened("\(error.refusal)")
    switch error.refusal {
    case .unsigned, .falseSignature, .otherList:
      self.init(.integrity, text, "Your copy is unchanged: ask the owner of the list.")
    case .otherKey:
      self.init(
        .integrity, text,
        "Your copy is unchanged: compare the key with that of the list's owner.")
    case .older:
      self.init(
        .diverged, text,
        "Your copy is unchanged. If the list was restored from a backup, pull into another file.")
    case .forked:
      self.init(
        .diverged, text,
        """
        Your copy is unchanged. The owner of the key has signed two histories of the list: tell \
        its other readers. \(error.evidence ?? "")
        """)
    }
  }
}
