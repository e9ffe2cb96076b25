/// The words of a command line, with the options that may stand before the verb moved behind it.
struct ArgumentWords: Equatable {
  /// The first is the verb, unless another option precedes it.
  let all: [String]

  init(_ words: [String]) {
    var rest = words[...]
    var moved: [String] = []
    while let word = rest.first, word == "--json" || word.hasPrefix("--store") {
      let count = word == "--store" ? 2 : 1
      guard word == "--json" || count == 2 || word.hasPrefix("--store="), rest.count > count else {
        break
      }
      moved += rest.prefix(count)
      rest = rest.dropFirst(count)
    }
    // All words after a double dash are positional.
    let end = rest.firstIndex(of: "--") ?? rest.endIndex
    all = rest[..<end] + moved + rest[end...]
  }

  /// Whether the answer, and so an error, is for a program.
  var asksForJSON: Bool { all.prefix { $0 != "--" }.contains("--json") }
}
