import ArgumentParser
import Foundation
import Terminal

/// Starts `listsync-pull`, so that no other verb needs a network library.
struct Pull: ParsableCommand {
  static let configuration = PullOptions.configuration(commandName: "pull")
  private static let program = "listsync-pull"

  @OptionGroup var options: PullOptions

  /// Replaces this process by the program, so that signals and exit codes pass through.
  ///
  /// The program is searched beside this one, then in the folders of `PATH`.
  func run() throws {
    let words = ([Self.program] + ListSync.words.all.dropFirst()).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    let beside = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent(Self.program).path
    if let beside { execv(beside, words) }
    if beside == nil || errno == ENOENT { execvp(Self.program, words) }
    throw VerbError.missingProgram(
      Self.program, at: beside ?? Self.program, reason: String(cString: strerror(errno)))
  }
}
