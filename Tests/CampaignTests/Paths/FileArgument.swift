/// An argument that names a file, with its verb.
struct FileArgument: Sendable {
  enum Role: Hashable, Sendable {
    case store(StoreUse)
    case input(InputForm)
    case output(OutputForm, replaces: Bool)
    case repository
  }

  enum StoreUse: Hashable, Sendable {
    case reads
    /// Reads the store, and works without one.
    case readsIfThere
    /// Writes to an existing store.
    case changes
    /// Writes to a store, and creates it if there is none.
    case creates
  }

  enum InputForm: String, Sendable {
    case snapshot = "next.json"
    case delta = "first.delta"
    case items = "item.json"
    case bundle = "parks.bundle"
    /// A delta that starts from the list of `snapshot`.
    case step = "next.delta"
    case edits = "edits.ndjson"
    case replica = "parks.replica"

    /// Whether an empty file has a meaning: no deltas, or no edits.
    var mayBeEmpty: Bool { self == .step || self == .edits }
  }

  enum OutputForm: Sendable {
    case bundle, backup
  }

  /// A word of the command line.
  enum Word: ExpressibleByStringLiteral, Sendable {
    case text(String)
    case path

    var isPath: Bool { if case .path = self { true } else { false } }

    init(stringLiteral text: String) { self = .text(text) }
  }

  /// Expected output of a second process after the verb.
  struct Proof: Sendable {
    let words: [Word]
    let text: String
    /// Whether the text must be present, or absent.
    var isThere = true
  }

  let name: String
  let role: Role
  /// The words; without the option that names the store, unless it is one of the verb's own.
  let words: [Word]
  let proof: Proof?
  /// Whether the environment names the store.
  var usesEnvironment = false
  /// Whether two runs on equal stores print the same.
  var isRepeatable = true

  init(_ name: String, _ role: Role, _ words: [Word], proof: Proof? = nil) {
    (self.name, self.role, self.words, self.proof) = (name, role, words, proof)
  }

  /// Whether the verb only reads the file.
  var onlyReads: Bool {
    switch role {
    case .store(.reads), .store(.readsIfThere), .input, .repository: true
    case .store(.changes), .store(.creates), .output: false
    }
  }

  var isStore: Bool { if case .store = role { true } else { false } }

  /// Whether the verb makes other files whose names begin with the path.
  var addsToName: Bool {
    switch role {
    // SQLite computes the names of a database's logs, though a replica that is only read has none.
    case .store, .output, .input(.replica): true
    case .input, .repository: false
    }
  }

  var isOutput: Bool { if case .output = role { true } else { false } }
}
