import ArgumentParser
import Foundation
import ListDocuments
import ListModel
import SyncService

extension Revision: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
  public static var defaultCompletionKind: CompletionKind { .revisions }
}

extension Rendering: ExpressibleByArgument {}

extension Int {
  /// Reads a count on the command line.
  ///
  /// - Throws: `ValidationError` when the text is not a number above 0.
  init(count text: String) throws {
    guard let count = Int(text), count > 0 else {
      throw ValidationError("a count is a whole number, 1 or more.")
    }
    self = count
  }
}

extension ArgumentHelp {
  static func revision(_ purpose: String) -> ArgumentHelp {
    ArgumentHelp("\(purpose): \(Revision.forms).", valueName: "rev")
  }
  static let rendering = ArgumentHelp("Print the changes in another format.", valueName: "format")
}

/// The bytes of the arguments, and of the store's name in the environment.
///
/// Swift replaces bytes that are not UTF-8, so two different names could become equal.
enum ArgumentBytes {
  /// - Throws: `ValidationError` when an argument or the store's name is not UTF-8.
  static func check() throws {
    for (index, word) in UnsafeBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)
    ).enumerated() {
      if let word, !isUTF8(word) { throw ValidationError("argument \(index) is not UTF-8.") }
    }
    if let store = getenv("LISTSYNC_STORE"), !isUTF8(store) {
      throw ValidationError("LISTSYNC_STORE is not UTF-8.")
    }
  }

  private static func isUTF8(_ word: UnsafePointer<CChar>) -> Bool {
    String(validatingCString: word) != nil
  }
}

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

  /// Whether answers and errors are JSON, for a program.
  var asksForJSON: Bool { all.prefix { $0 != "--" }.contains("--json") }
}
