import ListDocuments
import LocalFiles

/// A head that is refused. The notes of a fork are kept beside the copy.
struct RefusedHead: Error {
  let refusal: HeadRefusal
  /// A sentence with the place of both notes of a fork, or with the notes; nil for other refusals.
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
