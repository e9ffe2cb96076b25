extension FileArgument {
  /// Every argument of every verb that names a file, except those of `pull`, which need a server.
  static let all = stores + inputs + outputs + repositories

  private static let stores =
    storeOptions
    + storeOptions.filter { verbsWithVariable.contains($0.name) }.map { option in
      var variable = option
      variable.usesEnvironment = true
      return variable
    }

  /// Verbs that also find their store by the environment, one of each kind: all verbs read the
  /// variable in one place.
  private static let verbsWithVariable = ["show", "commit --dry-run", "tag", "commit"]

  private static let storeOptions =
    readers.map { name, words in
      var argument = FileArgument(name, .store(.reads), words)
      argument.isRepeatable = !["stats", "backup", "copy --from"].contains(name)
      return argument
    }
    + [
      FileArgument(
        "commit --dry-run", .store(.readsIfThere), ["commit", "parks", "next.json", "--dry-run"])
    ]
    + changers + creators

  private static let readers: [(String, [Word])] = [
    ("lists", ["lists"]), ("log", ["log", "parks"]), ("blame", ["blame", "parks"]),
    ("grep", ["grep", "parks", "s", "--all-versions"]), ("show", ["show", "parks"]),
    ("diff", ["diff", "parks", "1", "2"]), ("delta", ["delta", "parks", "--since", "1"]),
    ("replay", ["replay", "parks", "--from", "1", "--to", "2", "--check"]),
    ("bundle create", ["bundle", "create", "parks", "-o", "-"]),
    ("report", ["report", "parks", "-o", "-"]), ("verify", ["verify"]),
    ("backup", ["backup", "copy.db"]), ("stats", ["stats"]), ("tags", ["tag", "parks"]),
    ("prune --dry-run", ["prune", "parks", "--keep-last", "1", "--dry-run"]),
    ("token list", ["token", "list"]),
    ("edit --dry-run", ["edit", "parks", "--put", "item.json", "--dry-run"]),
    ("copy --from", ["copy", "--from", .path, "--to", "copy.db"]),
  ]

  private static let changers = [
    FileArgument(
      "edit", .store(.changes), ["edit", "parks", "--put", "item.json"],
      proof: Proof(words: ["show", "parks"], text: #""id":"new""#)),
    FileArgument(
      "revert", .store(.changes), ["revert", "parks", "1"],
      proof: Proof(words: ["diff", "parks", "1", "head"], text: "no changes")),
    FileArgument(
      "tag", .store(.changes), ["tag", "parks", "autumn", "1"],
      proof: Proof(words: ["tag", "parks"], text: "autumn")),
    FileArgument(
      "tag -d", .store(.changes), ["tag", "-d", "parks", "summer"],
      proof: Proof(words: ["tag", "parks"], text: "summer", isThere: false)),
    FileArgument(
      "prune", .store(.changes), ["prune", "parks", "--keep-last", "1"],
      proof: Proof(words: ["log", "parks", "--json"], text: #""pruned""#)),
    FileArgument(
      "prune --vacuum", .store(.changes), ["prune", "parks", "--keep-last", "1", "--vacuum"],
      proof: Proof(words: ["log", "parks", "--json"], text: #""pruned""#)),
    FileArgument(
      "token revoke", .store(.changes), ["token", "revoke", "reader"],
      proof: Proof(words: ["token", "list", "--json"], text: #""revoked_at":"2"#)),
  ]

  private static let creators = [
    FileArgument(
      "commit", .store(.creates), ["commit", "parks", "next.json"],
      proof: Proof(words: ["show", "parks"], text: #""id":"next""#)),
    FileArgument(
      "commit --delta", .store(.creates), ["commit", "first", "--delta", "first.delta"],
      proof: Proof(words: ["show", "first"], text: #""id":"next""#)),
    FileArgument(
      "bundle apply", .store(.creates), ["bundle", "apply", "parks.bundle", "--as", "applied"],
      proof: Proof(words: ["show", "applied"], text: #""id":"second""#)),
    FileArgument(
      "import-git", .store(.creates),
      ["import-git", "repository", "parks.json", "--list", "imported"],
      proof: Proof(words: ["show", "imported"], text: #""id":"imported""#)),
    FileArgument(
      "token create", .store(.creates), ["token", "create", "writer", "--write", "*"],
      proof: Proof(words: ["token", "list"], text: "writer")),
    FileArgument(
      "copy --to", .store(.creates),
      ["copy", "--from", "copied.db", "--to", .path],
      proof: Proof(words: ["show", "copied"], text: #""id":"second""#)),
  ]

  private static let inputs = [
    FileArgument(
      "commit FILE", .input(.snapshot), ["commit", "parks", .path, "--store", "own.db"],
      proof: Proof(words: ["show", "parks", "--store", "own.db"], text: #""id":"next""#)),
    FileArgument(
      "commit --delta FILE", .input(.delta),
      ["commit", "first", "--delta", .path, "--store", "own.db"],
      proof: Proof(words: ["show", "first", "--store", "own.db"], text: #""id":"next""#)),
    FileArgument(
      "edit --put FILE", .input(.items), ["edit", "parks", "--put", .path, "--store", "own.db"],
      proof: Proof(words: ["show", "parks", "--store", "own.db"], text: #""id":"new""#)),
    FileArgument(
      "bundle apply FILE", .input(.bundle),
      ["bundle", "apply", .path, "--as", "applied", "--store", "own.db"],
      proof: Proof(words: ["show", "applied", "--store", "own.db"], text: #""id":"second""#)),
    FileArgument("bundle verify FILE", .input(.bundle), ["bundle", "verify", .path]),
    FileArgument(
      "edit --from FILE", .input(.edits), ["edit", "parks", "--from", .path, "--store", "own.db"],
      proof: Proof(words: ["show", "parks", "--store", "own.db"], text: #""id":"edited""#)),
    FileArgument("apply FILE", .input(.snapshot), ["apply", .path, "next.delta"]),
    FileArgument("apply DELTA", .input(.step), ["apply", "next.json", .path]),
    FileArgument("show --replica", .input(.replica), ["show", "--replica", .path]),
    FileArgument(
      "diff --replica", .input(.replica),
      ["diff", "parks", "--replica", .path, "--store", "own.db"]),
    FileArgument("compare OLD", .input(.snapshot), ["compare", .path, "next.json"]),
    FileArgument("compare NEW", .input(.snapshot), ["compare", "next.json", .path]),
    FileArgument("merge MINE", .input(.snapshot), ["merge", "next.json", .path, "next.json"]),
  ]

  private static let outputs = [
    FileArgument(
      "bundle create -o", .output(.bundle, replaces: false),
      ["bundle", "create", "parks", "-o", .path, "--store", "own.db"], proof: bundleProof),
    FileArgument(
      "bundle create -o --force", .output(.bundle, replaces: true),
      ["bundle", "create", "parks", "-o", .path, "--force", "--store", "own.db"],
      proof: bundleProof),
    FileArgument(
      "report -o", .output(.bundle, replaces: false),
      ["report", "parks", "-o", .path, "--store", "own.db"]),
    FileArgument(
      "report -o --force", .output(.bundle, replaces: true),
      ["report", "parks", "-o", .path, "--force", "--store", "own.db"]),
    FileArgument(
      "backup FILE", .output(.backup, replaces: false), ["backup", .path, "--store", "own.db"],
      proof: backupProof),
    FileArgument(
      "backup FILE --force", .output(.backup, replaces: true),
      ["backup", .path, "--force", "--store", "own.db"], proof: backupProof),
  ]

  private static let bundleProof = Proof(words: ["bundle", "verify", .path], text: "complete")
  private static let backupProof = Proof(
    words: ["show", "parks", "--store", .path], text: #""id":"second""#)

  private static let repositories = [
    FileArgument(
      "import-git REPO", .repository,
      ["import-git", .path, "parks.json", "--list", "imported", "--store", "own.db"],
      proof: Proof(words: ["show", "imported", "--store", "own.db"], text: #""id":"imported""#))
  ]
}
