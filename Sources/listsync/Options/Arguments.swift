import ArgumentParser
import Foundation
import ListDocuments
import ListModel
import SyncService

/// A value that is written on the command line as a text that follows a rule.
protocol ArgumentValue {
  /// The rule as a sentence, which is the error for other texts.
  static var argumentRule: String { get }

  init?(_ text: String)
}

extension ArgumentValue {
  /// - Throws: `ValidationError` with the rule.
  init(argument text: some StringProtocol) throws {
    guard let value = Self(String(text)) else { throw ValidationError(Self.argumentRule) }
    self = value
  }
}

extension ListName: ArgumentValue {
  static var argumentRule: String { "a list name is \(rule)." }
}

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
  static let list: ArgumentHelp = "The list's name."
  static let json: ArgumentHelp = "Print JSON, for programs."

  /// The help of an option that names a file.
  static func file(_ text: String) -> ArgumentHelp {
    ArgumentHelp(text, valueName: "file")
  }
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
