extension GitRepository {
  /// The commits that touched a file, oldest first.
  ///
  /// They are those of the branch itself: along first parents, so that each revision is what the
  /// branch held, and a merge is one revision. Renames are not followed.
  ///
  /// - Parameters:
  ///   - path: the file, from the repository's root, with `/` between its parts.
  ///   - ref: the branch, tag or commit whose history it is.
  ///   - position: the commit to go on from; of the branch's commits only those that descend from
  ///     it are given. Nil for the whole history.
  /// - Throws: `GitError` of those grouped under the history; `.failed`.
  /// - Complexity: the time of one walk of the branch, in git; memory for the file's own commits.
  public func history(
    of path: String, at ref: String, after position: String? = nil
  ) throws(GitError) -> [FileRevision] {
    let path = try Self.normalised(path)
    let tip = try commit(named: ref)
    guard let position else { return try wholeHistory(of: path, at: tip, ref: ref) }
    guard try isAncestor(position, of: tip) else {
      // A branch that is behind has nothing new.
      if try isAncestor(tip, of: position) { return [] }
      throw .rewritten(position: position, ref: ref)
    }
    let descendants = try descendants(of: position, upTo: tip)
    return try log(of: path, "\(position)..\(tip)").revisions
      .filter { descendants.contains($0.commit) }
  }

  private func wholeHistory(
    of path: String, at tip: String, ref: String
  ) throws(GitError) -> [FileRevision] {
    if isShallow { throw .shallow }
    let history = try log(of: path, tip)
    guard history.revisions.isEmpty else { return history.revisions }
    if history.hasOthers { throw .isFolder(path: path) }
    throw .noSuchPath(path, ref: ref)
  }

  private func log(of path: String, _ range: String) throws(GitError) -> FileHistory {
    let output = try output(of: [
      "log", "-z", "--reverse", "--first-parent", "-m", "--raw", "--no-abbrev", "--no-renames",
      "--no-ext-diff", "--no-textconv", "--no-color", "--encoding=UTF-8",
      "--format=tformat:\(FileHistory.format)", range, "--", ":(top,literal)\(path)",
    ])
    return try FileHistory(of: path, log: output)
  }

  /// The commits that a commit leads to, on every way to the tip.
  ///
  /// A merge can make the branch's former commits a second parent. What stands along the first
  /// parents is then not all newer than the position: only what descends from it is.
  private func descendants(
    of position: String, upTo tip: String
  ) throws(GitError) -> Set<String> {
    let output = try output(of: ["rev-list", "--ancestry-path", "\(position)..\(tip)"])
    return Set(
      output.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) })
  }

  /// The path as git writes it.
  ///
  /// - Throws: `GitError.notInside`.
  public static func normalised(_ path: String) throws(GitError) -> String {
    let parts = path.split(separator: "/").filter { $0 != "." }
    guard !parts.isEmpty, !path.hasPrefix("/"), !path.hasSuffix("/"), !parts.contains(".."),
      !path.utf8.contains(0)
    else { throw .notInside(path: path) }
    return parts.joined(separator: "/")
  }
}
