/// A verb of the program, one of two that run at once.
struct PairVerb: Sendable {
  enum Answer: Sendable {
    /// Its output depends only on the store's state.
    case text
    /// Its output differs from run to run, for example by times and sizes.
    case none
    /// It prints JSON; these members depend only on the store's state.
    case members([String])
  }

  let name: String
  /// The command line without the store. `#` stands for the number that differs between the two
  /// verbs.
  private let line: String
  var answer = Answer.text
  /// The file that the verb makes beside the store; `#` as in the line.
  private var product: String?
  /// Whether the verb is several acts, between which other verbs may act.
  var isSeveralActs = false

  func words(_ slot: Int) -> [String] {
    line.replacing("#", with: "\(slot)").split(separator: " ").map(String.init)
  }

  func product(_ slot: Int) -> String? { product?.replacing("#", with: "\(slot)") }

  init(_ name: String, _ line: String, _ answer: Answer = .text, product: String? = nil) {
    (self.name, self.line, self.answer, self.product) = (name, line, answer, product)
  }

  private static func acts(_ name: String, _ line: String) -> PairVerb {
    var verb = PairVerb(name, line)
    verb.isSeveralActs = true
    return verb
  }

  /// The same verb up to a commit of its repository.
  func partly(_ ref: String) -> PairVerb { PairVerb("\(name) \(ref)", "\(line) --ref \(ref)") }

  static let all = writing + reading

  private static let writing = [
    PairVerb("commit", "commit parks next#.json --at 2026-03-0#"),
    PairVerb("commit --expect", "commit parks next#.json --at 2026-03-0# --expect 6"),
    PairVerb("commit --delta", "commit parks --delta change#.delta --at 2026-03-0#"),
    PairVerb("commit a new list", "commit new# next#.json --at 2026-03-0#"),
    PairVerb("edit", "edit parks --put item#.json --remove i5 --at 2026-03-0#"),
    PairVerb("revert", "revert parks 4 --at 2026-03-0#"),
    PairVerb("tag", "tag parks tag# #"),
    PairVerb("tag -d", "tag -d parks summer"),
    PairVerb("prune", "prune parks --keep-last 2"),
    PairVerb("prune --vacuum", "prune parks --keep-last 2 --vacuum", .none),
    PairVerb("bundle apply", "bundle apply parks.bundle --as applied"),
    acts("import-git", "import-git repository parks.json --list imported"),
    PairVerb("drop", "drop parks --yes"),
    PairVerb("drop --expect", "drop parks --yes --expect 6"),
    PairVerb("rename", "rename parks moved#"),
    PairVerb("commit --begin-again", "commit left next#.json --begin-again --at 2026-03-0#"),
    PairVerb("token create", "token create token# --read *", .none),
  ]

  private static let reading = [
    PairVerb("log", "log parks"), PairVerb("log --item", "log parks --item i5"),
    PairVerb("blame", "blame parks"), PairVerb("grep", "grep parks i --all-versions"),
    PairVerb("show", "show parks"), PairVerb("diff", "diff parks 4 head"),
    PairVerb("delta", "delta parks --since 4"),
    PairVerb("replay", "replay parks --from 4 --to head --check"),
    PairVerb("verify", "verify"), PairVerb("verify --deep", "verify --deep"),
    PairVerb("backup", "backup STORE/backup#.db", .none, product: "backup#.db"),
    PairVerb(
      "bundle create", "bundle create parks -o STORE/parks#.bundle", .text,
      product: "parks#.bundle"),
    PairVerb("report", "report parks -o STORE/parks#.html", .text, product: "parks#.html"),
    PairVerb("stats", "stats --json", .members(["lists", "versions", "changes"])),
    PairVerb("lists", "lists"),
  ]
}
