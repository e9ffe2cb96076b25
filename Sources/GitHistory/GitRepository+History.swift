extension GitRepository {
  /// The commits that touched a file, oldest first.
  ///
  /// Follows first parents, so each revision is a state of the branch itself, and a merge is one
  /// revision. Does not follow renames.
  ///
  /// - Parameters:
  ///   - path: the file, from the repository's root, with `/` between its parts.
  ///   - ref: a branch, tag or commit.
  ///   - position: the commit to continue from; gives only the branch's commits that descend from
  ///     it. Nil for the whole history.
  /// - Throws: an error listed under "When a history is read"; `.missing` if the repository lacks
  ///   folders; `.failed`.
  /// - Complexity: one walk of the branch, in git; memory for the file's own commits.
  public func history(
    of path: String, at ref: String, after position: String? = nil
  ) throws(GitError) -> [FileRevision] {
    let path = try Self.normalised(path)
    let tip = try commit(named: ref)
    guard let position else { return try wholeHistory(of: path, at: tip, ref: ref) }
    guard try isAncestor(position, of: tip) else {
      // A branch behind the position has nothing new.
      if try isAncestor(tip, of: position) { return [] }
      throw .rewritten(position: position, ref: ref)
    }
    let descendants = try descendants(of: position, upTo: tip)
    return try log(of: path, "\(position)..\(tip)").revisions
      .filter { descendants.contains($0.commit) }
  }

  /// The contents of a file that the repository does not hold, as in a partial clone.
  ///
  /// - Parameters:
  ///   - path: the file, as in ``history(of:at:after:)``.
  ///   - ref: a branch, tag or commit.
  /// - Throws: `GitError.notInside`, `.noSuchCommit`, `.missing` if it lacks folders, `.failed`,
  ///   `.cannotRun`.
  /// - Complexity: one walk of the branch, in git.
  public func missingBlobs(of path: String, at ref: String) throws(GitError) -> Set<String> {
    let lines = try lines(of: [
      "rev-list", "--objects", "--no-object-names", "--missing=print", "--first-parent",
      try commit(named: ref), "--", ":(top,literal)\(try Self.normalised(path))",
    ])
    // A question mark precedes the id of a missing object.
    return Set(lines.filter { $0.hasPrefix("?") }.map { String($0.dropFirst()) })
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
      "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none",
      "--encoding=UTF-8",
      "--format=tformat:\(FileHistory.format)", range, "--", ":(top,literal)\(path)",
    ])
    return try FileHistory(of: path, log: output)
  }

  /// The commits that descend from a commit, up to the tip.
  ///
  /// A merge can make the branch's former commits a second parent. Then not all commits along the
  /// first parents are newer than the position, only its descendants are.
  private func descendants(of position: String, upTo tip: String) throws(GitError) -> Set<String> {
    Set(try lines(of: ["rev-list", "--ancestry-path", "\(position)..\(tip)"]))
  }

  /// A path as git writes it.
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
