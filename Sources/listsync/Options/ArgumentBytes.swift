import ArgumentParser
import Foundation

/// The words of the command line, and the store's name in the environment, as bytes.
///
/// Swift replaces bytes that are not UTF-8, and so would take two names for one.
enum ArgumentBytes {
  /// - Throws: `ValidationError` where a word is not UTF-8.
  static func check() throws {
    for (place, word) in UnsafeBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)
    ).enumerated() {
      if let word, !isUTF8(word) {
        throw ValidationError("argument \(place) is not UTF-8, which names must be here.")
      }
    }
    if let store = getenv("LISTSYNC_STORE"), !isUTF8(store) {
      throw ValidationError("LISTSYNC_STORE is not UTF-8, which names must be here.")
    }
  }

  private static func isUTF8(_ word: UnsafePointer<CChar>) -> Bool {
    String(validatingCString: word) != nil
  }
}
