/// The expected end of a run.
enum PathExpectation: Equatable {
  /// With exit code 0.
  case works
  /// With one of these exit codes.
  case refused(Set<Int32>)
  /// With exit code 0 or one of these.
  case worksOrRefused(Set<Int32>)
  /// The run waits for another process, or ends with one of these exit codes.
  case waitsOrRefused(Set<Int32>)

  func allows(_ exitCode: Int32) -> Bool {
    switch self {
    case .works: exitCode == 0
    case .refused(let codes), .waitsOrRefused(let codes): codes.contains(exitCode)
    case .worksOrRefused(let codes): exitCode == 0 || codes.contains(exitCode)
    }
  }

  var allowsWaiting: Bool { if case .waitsOrRefused = self { true } else { false } }

  /// The expectation for a path that the program need not understand.
  fileprivate func orRefused(_ codes: Set<Int32>) -> PathExpectation {
    switch self {
    case .works: .worksOrRefused(codes)
    case .refused(let own): .refused(own.union(codes))
    case .worksOrRefused(let own): .worksOrRefused(own.union(codes))
    case .waitsOrRefused(let own): .waitsOrRefused(own.union(codes))
    }
  }
}

/// Exit codes of refusals, as `listsync --help` lists them.
private enum Codes {
  static let failure: Set<Int32> = [1]
  static let unopened: Set<Int32> = [1, 8]
  static let unwritable: Set<Int32> = [8]
  static let bundle: Set<Int32> = [1, 6]
  static let damaged: Set<Int32> = [1, 6]
  static let name: Set<Int32> = [1, 2, 8]
}

extension PathCase {
  /// The expected end of the run. It follows from the verb's use of the file, the kind of file,
  /// whether its place is writable, and whether its name is clear.
  var expectation: PathExpectation {
    let placed = expectationByPlace
    // Such a link leads nowhere.
    if thing == .absent, [.link, .linkToLink].contains(spelling) {
      return placed.orRefused(Codes.unopened)
    }
    switch spelling.clarity(addsToName: argument.addsToName) {
    case .clear: return placed
    // If the system finds no file at the path, there is no store yet.
    case .ambiguous where argument.role == .store(.readsIfThere):
      return .worksOrRefused(Codes.name)
    case .ambiguous: return placed.orRefused(Codes.name)
    case .impossible: return .refused(Codes.name)
    }
  }

  private var expectationByPlace: PathExpectation {
    let byThing = expectationByThing
    switch byThing {
    case .works, .worksOrRefused: break
    // An unreadable file may still be a store.
    case .refused: return place.user == nil ? byThing : byThing.orRefused(Codes.unopened)
    case .waitsOrRefused: return byThing
    }
    switch place {
    case .ordinary, .held: return byThing
    case .secretFile: return .refused(Codes.unopened).unless(thing == .absent, byStranger)
    case .dropFolder, .sharedFile: return byThing.orRefused(Codes.unopened)
    case .sharedFolder: return thing == .absent ? byThing : byStranger
    case .full, .readOnlyMount, .heldReadOnlyMount, .closedFolder, .othersFolder,
      .heldOthersFolder:
      if argument.onlyReads { return byThing }
      return .refused(argument.isStore ? Codes.unwritable : Codes.unopened)
    }
  }

  /// The user may read the file but not write it, though perhaps replace it.
  private var byStranger: PathExpectation {
    switch argument.role {
    case .store(.reads), .store(.readsIfThere): expectationByThing
    case .store: .refused(Codes.unwritable)
    case .output: expectationByThing.orRefused(Codes.unopened)
    case .input, .repository: expectationByThing
    }
  }

  private var expectationByThing: PathExpectation {
    switch argument.role {
    case .store(let use): ofStore(use)
    case .input(.replica): ofReplica
    case .input where hasNoEffect: .works
    case .input(let form): ofInput(form == .bundle ? Codes.bundle : Codes.failure)
    case .output(let form, let replaces): ofOutput(form, replaces: replaces)
    case .repository: thing == .fitting ? .works : .refused([1, 3, 8])
    }
  }

  private func ofStore(_ use: FileArgument.StoreUse) -> PathExpectation {
    switch thing {
    case .fitting, .store: .works
    case .absent, .emptyFile:
      [.creates, .readsIfThere].contains(use) ? .works : .refused(Codes.failure)
    case .danglingLink:
      [.creates, .readsIfThere].contains(use)
        ? .worksOrRefused(Codes.unopened) : .refused(Codes.unopened)
    case .truncated: .refused(Codes.damaged)
    case .folder, .device, .fifo, .fifoWithPeer, .linkLoop: .refused(Codes.unopened)
    default: .refused(Codes.failure)
    }
  }

  /// Whether the verb reads an empty file, which tells it to do nothing.
  var hasNoEffect: Bool {
    guard case .input(let form) = argument.role, form.mayBeEmpty else { return false }
    return [.emptyFile, .device].contains(thing)
  }

  /// A replica is a database, so it cannot be a pipe.
  private var ofReplica: PathExpectation {
    switch thing {
    case .fitting: .works
    case .absent, .folder, .danglingLink, .linkLoop, .device, .fifo: .refused(Codes.unopened)
    default: .refused(Codes.failure)
    }
  }

  private func ofInput(_ codes: Set<Int32>) -> PathExpectation {
    switch thing {
    case .fitting, .fifoWithPeer: .works
    // Like every program, the verb waits for a writer of the pipe.
    case .fifo: .waitsOrRefused(Codes.unopened)
    case .absent, .folder, .danglingLink, .linkLoop: .refused(Codes.unopened)
    default: .refused(codes)
    }
  }

  private func ofOutput(_ form: FileArgument.OutputForm, replaces: Bool) -> PathExpectation {
    switch thing {
    case .absent: .works
    case .emptyFile, .text, .fiveBytes: replaces ? .works : .refused(Codes.failure)
    // Only a backup may replace a database.
    case .store where form == .bundle, .foreign where form == .bundle: .refused(Codes.failure)
    case .store: replaces ? .works : .refused(Codes.failure)
    case .foreign: replaces ? .worksOrRefused(Codes.failure) : .refused(Codes.failure)
    // A backup is a database, so it cannot be a pipe.
    case .device, .fifoWithPeer: form == .bundle ? .works : .worksOrRefused(Codes.unopened)
    case .fifo: .waitsOrRefused(Codes.unopened)
    case .danglingLink: .worksOrRefused(Codes.unopened)
    // The source itself is refused because it has two names.
    case .hardLinkToSource:
      replaces ? .worksOrRefused(Codes.unopened) : .refused(Codes.unopened)
    case .linkToSource: .refused(Codes.failure)
    default: .refused(Codes.unopened)
    }
  }
}

extension PathExpectation {
  fileprivate func unless(_ condition: Bool, _ other: PathExpectation) -> PathExpectation {
    condition ? other : self
  }
}
