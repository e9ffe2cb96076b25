import ArgumentParser
import Foundation

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
