import Foundation
import TestSupport
import Testing

/// A reader copies every line of the README, in order, on a machine that has nothing of ListSync.
@Suite struct ReadmeTests {
  /// The text of the README without its comments at the ends of shell lines.
  private let text: String

  init() throws {
    text = try String(
      contentsOf: Project.root.appendingPathComponent("README.md"), encoding: .utf8)
  }

  /// The bodies of all code blocks of a language.
  private func blocks(_ language: String) -> [String] {
    text.components(separatedBy: "```\(language)\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
  }

  /// All lines of the installation and of the session, in one shell. In place of `git` and `make`,
  /// programs of this test make the clone and install the built programs.
  @Test func copiedLinesInstallListSyncAndPrintWhatTheReadmeShows() async throws {
    let installation = try #require(blocks("sh").first { $0.contains("make install ") })
    let session = try #require(blocks("console").first)
    let commands = session.components(separatedBy: "\n").filter { $0.hasPrefix("$ ") }
    #expect(commands.count >= 6)
    #expect(commands.allSatisfy { $0.hasPrefix("$ listsync ") || $0.hasPrefix("$ echo ") })

    let harness = try CommandLineHarness()
    let home = harness.url("home")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    let build = try BuiltProgram.url("listsync").deletingLastPathComponent().path
    try ExecutableFile.write(
      "#!/bin/sh\ntest \"$1\" = clone && mkdir ListSync\n", to: harness.url("git"))
    try ExecutableFile.write(
      """
      #!/bin/sh
      set -e
      test "$1" = install && test "$(basename "$PWD")" = ListSync
      prefix=${2#PREFIX=}
      mkdir -p "$prefix/bin"
      for name in listsync listsyncd; do
        ln -s '\(build)'/$name "$prefix/bin/$name"
      done

      """, to: harness.url("make"))
    for name in ["git", "make"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: harness.url(name).path)
    }
    let lines = ["set -e", "cd ~", installation] + commands.map { String($0.dropFirst(2)) }
    let outcome = try await harness.run(
      ["-c", lines.joined(separator: "\n")],
      environment: ["PATH": "\(harness.folder.path):/usr/bin:/bin", "HOME": home.path],
      program: URL(fileURLWithPath: "/bin/sh"))
    let shown = session.components(separatedBy: "\n").filter { !$0.hasPrefix("$ ") }
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.text == shown.joined(separator: "\n"))
    #expect(outcome.errorText.isEmpty)
  }

  /// `.ci/install`, which `make install` runs, puts programs below the prefix in `bin`.
  @Test func everyMakeCommandOfTheReadmeIsATarget() throws {
    let makefile = try String(
      contentsOf: Project.root.appendingPathComponent("Makefile"), encoding: .utf8)
    let targets = blocks("sh").flatMap { $0.components(separatedBy: "\n") }
      .filter { $0.hasPrefix("make ") }.compactMap { $0.split(separator: " ").dropFirst().first }
    #expect(targets.starts(with: ["demo", "test", "install"]))
    for target in targets { #expect(makefile.contains("\n\(target): "), "make \(target)") }
    let install = try String(
      contentsOf: Project.root.appendingPathComponent(".ci/install"), encoding: .utf8)
    #expect(install.contains("\"bin/$program\""))
  }

  /// Linux has no UIKit, so the compiled file imports its declarations.
  @Test func swiftOfTheReadmeIsCompiledAsItStands() throws {
    let file = try String(
      contentsOf: Project.root.appendingPathComponent("Tests/ReadmeApp/ParkSource.swift"),
      encoding: .utf8)
    let compiled = try #require(file.range(of: "import ")).lowerBound
    let shown = try #require(blocks("swift").first { $0.hasPrefix("import ") })
    #expect(shown == file[compiled...].replacingOccurrences(of: "UIKitStub", with: "UIKit"))
    // What a reader adds to their package is a product of this one.
    let manifest = try String(
      contentsOf: Project.root.appendingPathComponent("Package.swift"), encoding: .utf8)
    #expect(blocks("swift")[0].contains(".product(name: \"ListChanges\", package: \"ListSync\")"))
    #expect(manifest.contains(".library(name: \"ListChanges\", targets: [\"ListChanges\"])"))
    #expect(manifest.contains("  name: \"ListSync\",\n"))
  }
}
