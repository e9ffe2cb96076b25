import ListDocuments
import ListModel
import ListStore
import PostgresStore
import SQLExport
import SyncService

/// The tables of the errors of stores, and of requests to them.
extension Failure {
  private static let restore = "Run 'listsync verify', and restore the store from a backup."

  init(_ error: StoreError) { self.init(error, opened: StoreArguments.openedName) }

  /// - Parameter opened: the path or address of the store, for errors that do not name it.
  init(_ error: StoreError, opened: String?) {
    if case .foreign(let store) = error, HistoryExporter.isExport(store) {
      self.init(
        .failure, "\(Output.printable(store)) is an export for readers of SQL, and not a store",
        "Name the store that it was made from with --store, or read the file with 'sqlite3'.")
      return
    }
    let store = error.namesFile ? nil : opened.map { "\(Output.printable($0)): " }
    let problem: ProblemKind? =
      switch error {
      case .diskFull: .outOfSpace
      case .corrupt: .damaged
      case .listFull: .unprocessable
      default: nil
      }
    self.init(
      (store ?? "") + "\(error)",
      Self.row(of: error, isServer: opened.map(PostgresStore.isAddress) ?? false), problem: problem)
  }

  private static func row(of error: StoreError, isServer: Bool) -> Row {
    switch error {
    case .notFound(_, let schemas) where schemas.isEmpty:
      .failure(
        "Create it with 'listsync commit LIST FILE', or name another with --store or "
          + "LISTSYNC_STORE\(isServer ? ", and its schema with --schema" : "").")
    case .notFound(_, let schemas):
      .failure(
        "Name its schema: "
          + schemas.map { "--schema '\(Output.printable($0))'" }.joined(separator: " or ") + ".")
    case .foreign where isServer: .failure("Name another schema with --schema.")
    case .notADatabase, .foreign: .failure("Name a store with --store.")
    case .newer: .failure("Install a newer listsync.")
    case .older:
      .failure("Open it once to write: 'listsyncd' and each verb that writes upgrade it.")
    case .unreleased:
      .failure(
        "Copy its lists with the version that wrote it: 'listsync bundle create LIST -o FILE' "
          + "there, 'listsync bundle apply FILE' here. Or import them again.")
    case .cannotOpen: .inputOutput("Check that the folder exists and is writable.")
    case .unreachable(_, _, let remedy): .inputOutput(remedy)
    case .notPermitted:
      .inputOutput("Nothing was changed. The owner of the schema can grant what is needed.")
    case .alreadyThere: .failure("Name another file, or add --force.")
    case .inUse:
      .failure("Name another file. The WAL is deleted when the last program closes its store.")
    case .notCopied:
      .inputOutput(
        "No backup was made. Check that there is room, and the limit of file sizes (ulimit -f).")
    case .busy:
      .busy("Nothing was changed. Try again, or wait longer: \(BusyWait.variable)=SECONDS.")
    case .readOnly where isServer:
      .inputOutput(
        "Nothing was changed. Name the primary, or add ?target_session_attrs=read-write.")
    case .readOnly:
      .inputOutput("Nothing was changed. Check the permissions of the file and its folder.")
    case .replaced: .inputOutput("Run the same command again: it uses the new file.")
    case .diskFull: .inputOutput("Nothing was changed. Free some space and try again.")
    case .inputOutput:
      .inputOutput(
        "Check the disk and the system's messages, then run 'listsync verify'. It is safe to run "
          + "the same command again.")
    case .headMoved: .busy("Nothing was changed. Try again.")
    case .listFull:
      .failure("Nothing was changed. Continue in a new list; 'listsync limits' shows the limit.")
    case .duplicateItem, .wrongRoot: .failure("Nothing was changed.")
    case .corrupt: .integrity(restore)
    case .database: .failure(nil)
    }
  }

  init(_ error: ServiceError) {
    let sentence = Output.printable(error.sentence(Wording.time))
    let known: String? =
      switch error {
      case .noSuchTag(let name, _, let known):
        Nearest.text(to: name.text, among: known.map(\.text))
      case .noSuchToken(let name, let known):
        Nearest.text(to: name.text, among: known.map(\.text))
      default: nil
      }
    self.init(
      Code(error), known.map { "\(sentence); \($0)" } ?? sentence, Self.advice(on: error),
      problem: error.kind)
    if case .conflicts(let conflicts, _, let base, let head) = error {
      details = conflicts.lines
      members = { writer in
        writer.member("base", base.description)
        writer.member("head", head.description)
        writer.members(of: conflicts)
      }
    }
  }

  private static func advice(on error: ServiceError) -> String? {
    switch error {
    case .noSuchList(let list): "Create it with 'listsync commit \(list) FILE', or check --store."
    case .gone(let former):
      former.newName.map { "Name the list \($0)." }
        ?? "'listsync commit \(former.name) FILE --begin-again' begins a new list of this name."
    case .nameTaken(let list):
      "Nothing was changed. Use another name, or drop that list with 'listsync drop \(list)'."
    case .noSuchVersion(_, let list, _, _): "'listsync log \(list)' shows its versions."
    case .tooOld(_, let list, _, _): "'listsync log \(list)' shows the versions that it has."
    case .noVersionAt: nil
    case .noSuchItem:
      "Ids are compared byte by byte. Repeat --item for the fields of a compound id."
    case .itemAbsent(_, let list, _, _):
      "Nothing was changed. 'listsync show \(list)' shows the items. Ids are compared byte by "
        + "byte; U+001F separates the fields of a compound id."
    case .noSuchTag(_, let list, _):
      "'listsync tag \(list)' shows its tags. Name a version as \(Revision.forms)."
    case .diverged(_, let list, _):
      "The cursor comes from another store, or from before a restore. Start over with 'listsync "
        + "show \(list)'."
    case .expectationFailed(_, let list, let head):
      "Nothing was changed. See 'listsync log \(list)', then commit with --expect \(head.short)."
    case .conflicts(_, let list, let base, let head):
      "Nothing was changed. Decide all conflicts with --prefer mine or --prefer theirs. Or make "
        + "your file agree with theirs there, and commit it again with --base \(base.short). Or "
        + "change the newest version, which 'listsync show \(list)' prints, and commit it with "
        + "--expect \(head.short)."
    case .notTheStart(_, let list, let head):
      "Nothing was changed. Get the changes since \(head.short) from the source of the delta, with "
        + "'listsync delta \(list) --since \(head.short)'."
    case .limit(let exceeded, _, _): "Nothing was changed. \(advice(on: exceeded.limit))"
    case .datedBeforeHead:
      "Nothing was changed. A date names the highest version that is dated then or before, so "
        + "older dates would name this version from now on. Name a later time with --at, or add "
        + "--allow-earlier-date."
    case .changesTooMany(.removed, _, _, _, _):
      "Nothing was changed. If that is right, commit again with --force-removed."
    case .changesTooMany(.updated, _, _, _, _):
      "Nothing was changed. See what changed with --dry-run --force-updated. If that is right, "
        + "commit again with --force-updated alone."
    case .newIDs:
      "Nothing was changed. Leave out --id to find them as before. If the items are to have other "
        + "ids, add --new-ids."
    case .notSame(_, let list, .oldIsAbsent), .notSame(_, let list, .newWasThere):
      "Nothing was changed. 'listsync show \(list) --ids' shows the ids of \(list)."
    case .notSame(_, _, .oldStays), .notSame(_, _, .newIsAbsent):
      "Nothing was changed. Write the old id before the new one, or leave out this --same."
    case .misfit(let list, _):
      "Nothing was changed: make the delta again from the head, with 'listsync delta \(list) "
        + "--since VERSION' or 'listsync edit \(list) --dry-run'."
    case .besideItself: "Nothing was changed. Name another item as its neighbour."
    case .noSuchPlace: "Nothing was changed. Name another place with --to, --before or --after."
    case .importOvertaken:
      "The versions of both are kept, each once. Wait for the other, or try again."
    case .notImported(_, let head):
      "Nothing was imported. Name the commit of version \(head) with --from COMMIT, or import the "
        + "history into another list with --list."
    case .tagTaken(_, _, _, let asked):
      "Nothing was changed. Use another tag, or move this one to version \(asked) with --force."
    case .rangeLikeTag: "Nothing was changed. Use another tag."
    case .zeroTagged(_, let list): "Name another version; 'listsync log \(list)' shows them."
    case .datedInFuture: "Nothing was pruned. Set the clock, or prune with --keep-last alone."
    case .mayHaveLeapt:
      "Nothing was pruned. Set the clock; add --trust-dates if the dates are right; or use "
        + "--keep-last alone, which needs no dates."
    case .tokenTaken(let token):
      "Nothing was made. Use another name, or revoke that token with 'listsync token revoke "
        + "\(token)'."
    case .noSuchToken: "'listsync token list' shows all tokens, including revoked ones."
    case .endsBefore: "Name a later version with --until."
    case .emptyBundle: "Name an older version with --since, or a newer one with --to."
    case .tooNew(_, _, let head):
      "Nothing was changed. Make a bundle "
        + "\(head.version == .zero ? "without --since" : "with --since \(head.short)") "
        + "from the other store."
    case .endsTooOld(_, let list, _):
      "Nothing was changed. \(list) has all versions that it is to keep."
    case .brokenBundle: "Nothing was changed. Create the bundle again from the other store."
    case .broken: restore
    }
  }

  init(unwritableBundleOf list: ListName, _ error: BundleError) {
    if case .lineTooLong(let line, let byteLimit) = error {
      self.init(
        .failure, "line \(line) would be longer than the \(byteLimit) bytes that readers accept",
        "No file was made. Raise \(Limit.lineBytes.variable) here and where the bundle is applied, "
          + "or make a bundle --since a later version.")
    } else {
      self.init(
        .integrity, "\(list) is damaged: its bundle would be refused: \(error)",
        "No file was made. \(Self.restore)")
    }
  }
}

extension Failure.Code {
  fileprivate init(_ error: ServiceError) {
    self =
      switch error.kind {
      case .notFound, .gone, .noSuchVersion, .noSuchItem: .notFound
      case .tooOld, .diverged: .diverged
      case .preconditionFailed, .removesTooMany, .updatesTooMany, .conflicts: .expectation
      case .damaged: .integrity
      case .busy: .busy
      default: .failure
      }
    if case .noSuchPlace = error { self = .notFound }
    if case .rangeLikeTag = error { self = .usage }
  }
}

extension StoreError {
  /// Whether the error's text names the file.
  fileprivate var namesFile: Bool {
    switch self {
    case .notFound, .notADatabase, .foreign, .newer, .older, .unreleased, .cannotOpen,
      .unreachable, .alreadyThere, .inUse, .notCopied, .replaced:
      true
    case .notPermitted, .busy, .readOnly, .diskFull, .inputOutput, .headMoved, .listFull,
      .duplicateItem, .wrongRoot, .corrupt, .database:
      false
    }
  }
}
