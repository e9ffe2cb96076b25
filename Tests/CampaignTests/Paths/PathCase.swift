/// One run: a verb, the argument that is a path, what lies there, how it is written, and where.
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

  /// Whether there can be such a case on this machine.
  var isPossible: Bool {
    if !place.isPossible || (thing == .device && !PathPlace.isAdministrator) { return false }
    if spelling.isBare && place != .ordinary { return false }
    if place.isHeld && !isOfStore { return false }
    // Git reads no repository of another user.
    if argument.name.hasPrefix("import-git") && place.user != nil { return false }
    if spelling == .hardLink || spelling.clarity(addsToName: false) == .impossible {
      // An environment without a path names the standard store, like one without the variable.
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

  /// Whether a store of today lies at the path that the verb takes for one.
  var isOfStore: Bool { argument.isStore && [.fitting, .store].contains(thing) }
}

extension PathCase {
  /// All that can lie at the path of each argument.
  static let contents = FileArgument.all.flatMap { argument in
    things(for: argument.role).map { PathCase(argument: argument, thing: $0) }
  }.filter(\.isPossible)

  /// Every way to write the path of each argument.
  static let spellings = FileArgument.all.flatMap { argument in
    PathSpelling.allCases.flatMap { spelling in
      [PathThing.absent, argument.addsToName && !argument.isStore ? .text : .fitting, .foreign]
        .map { PathCase(argument: argument, thing: $0, spelling: spelling) }
    }
  }.filter(\.isPossible)

  /// Every place for the path of each argument.
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
    case .store: [.absent, .fitting, .schema1]
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
    case .store: return always + [.truncated, .schema1, .schema2, .newer]
    case .input(.snapshot): return always + [.fifoWithPeer, .store]
    case .input, .repository: return always + [.fifoWithPeer]
    case .output:
      return always.filter { $0 != .fitting }
        + [.fifoWithPeer, .store, .linkToSource, .hardLinkToSource]
    }
  }
}
