/// One run: a verb, its path argument, the file there, its spelling and its place.
struct PathCase: Sendable, CustomStringConvertible {
  let argument: FileArgument
  let thing: PathThing
  var spelling = PathSpelling.plain
  var place = PathPlace.ordinary

  var description: String {
    let option = argument.isStore ? (argument.usesEnvironment ? " LISTSYNC_STORE" : " --store") : ""
    return [argument.name + option, thing.rawValue, spelling.rawValue, place.rawValue]
      .joined(separator: "; ")
  }

  /// Whether this machine can have the case.
  var isPossible: Bool {
    if !place.isPossible || (thing == .device && !PathPlace.isAdministrator) { return false }
    if spelling.isBare && place != .ordinary { return false }
    if place.isHeld && !isOfStore { return false }
    // Git does not read a repository of another user.
    if argument.name.hasPrefix("import-git") && place.user != nil { return false }
    if spelling == .hardLink || spelling.clarity(addsToName: false) == .impossible {
      // An empty variable names the standard store, like no variable.
      if spelling == .empty && argument.usesEnvironment { return false }
      if spelling == .hardLink { return thing.isRegular || hasRegularFitting }
      return thing == .absent
    }
    return true
  }

  private var hasRegularFitting: Bool {
    guard thing == .fitting else { return false }
    return argument.role != .repository
  }

  /// Whether the path leads to a store that the verb can use.
  var isOfStore: Bool { argument.isStore && [.fitting, .store].contains(thing) }
}

extension PathCase {
  /// All kinds of file for the path of each argument.
  static let contents = FileArgument.all.flatMap { argument in
    things(for: argument.role).map { PathCase(argument: argument, thing: $0) }
  }.filter(\.isPossible)

  /// All spellings of the path of each argument.
  static let spellings = FileArgument.all.flatMap { argument in
    PathSpelling.allCases.flatMap { spelling in
      [PathThing.absent, argument.isOutput ? .text : .fitting, .foreign]
        .map { PathCase(argument: argument, thing: $0, spelling: spelling) }
    }
  }.filter(\.isPossible)

  /// All places for the path of each argument.
  static let places = FileArgument.all.flatMap { argument in
    PathPlace.allCases.flatMap { place in
      let spellings: [PathSpelling] = place.isHeld ? [.plain, .hardLink, .link] : [.plain]
      return spellings.flatMap { spelling in
        placedThings(for: argument).map {
          PathCase(argument: argument, thing: $0, spelling: spelling, place: place)
        }
      }
    }
  }.filter(\.isPossible)

  private static func placedThings(for argument: FileArgument) -> [PathThing] {
    switch argument.role {
    case .store: [.absent, .fitting]
    case .output: [.absent, .text]
    case .input, .repository: [.fitting]
    }
  }

  private static func things(for role: FileArgument.Role) -> [PathThing] {
    let always: [PathThing] = [
      .absent, .fitting, .emptyFile, .fiveBytes, .text, .foreign, .folder, .device, .fifo,
      .danglingLink, .linkLoop,
    ]
    switch role {
    case .store: return always + [.truncated, .unreleased, .newer]
    case .input(.snapshot): return always + [.fifoWithPeer, .store]
    case .input(.replica): return always + [.store]
    case .input, .repository: return always + [.fifoWithPeer]
    case .output:
      return always.filter { $0 != .fitting }
        + [.fifoWithPeer, .store, .linkToSource, .hardLinkToSource]
    }
  }
}
