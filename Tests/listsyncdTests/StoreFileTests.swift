import Foundation
import TestSupport
import Testing

/// The store's file under a running server.
struct StoreFileTests {
  private static func put(_ address: String, _ list: String) -> String {
    "curl -s -o /dev/null -w '%{http_code}' -X PUT -H 'If-None-Match: *' --data '[{\"id\":\"a\"}]' "
      + "\(address)/v1/lists/\(list)"
  }

  /// A restored backup is another file at the path, or other bytes in the same file.
  @Test(arguments: ["mv", "cp"])
  func serverRefusesCommitsAndEndsAfterItsStoreIsReplaced(_ command: String) async throws {
    let server = try ServerProgram()
    let address = try await server.address()
    let first = try await Shell.run(Self.put(address, "kept"), in: server.folder)
    #expect(first.text == "201")
    _ = try await Shell.listsync("backup backup.db", in: server.folder)
    // The administrator's actions, each followed at once by a client's request.
    let script = """
      rm listsync.db-wal listsync.db-shm; \(command) backup.db listsync.db
      \(Self.put(address, "lost")); echo
      curl -s -o /dev/null -w '%{http_code}' \(address)/readyz; echo
      """
    let after = try await Shell.run(script, in: server.folder).text.split(separator: "\n")
    for code in after { #expect(code == "503" || code == "000", "\(after)") }
    #expect(try await server.end() == 8)
    let last = server.logText.split(separator: "\n").suffix(2)
    #expect(last.first?.contains("listsync.db was replaced") == true, "\(server.logText)")
    #expect(last.last?.contains("Start it again") == true)

    let again = try ServerProgram(folder: server.folder)
    let lists = try await Shell.run(
      "curl -s \(try await again.address())/v1/lists", in: server.folder)
    #expect(lists.text.contains("kept") && !lists.text.contains("lost"), "\(lists.text)")
    #expect(try await Shell.listsync("verify", in: server.folder).contains("kept: 1 version"))
  }

  /// Whether this user can forbid writes to a file that is open. Only root can, and not on every
  /// file system: tmpfs accepts the attribute, and goes on writing.
  private static let canForbidWriting: Bool = {
    guard let folder = try? TemporaryFolder.make() else { return false }
    defer { try? FileManager.default.removeItem(at: folder) }
    let script = """
      exec 3>>f && chattr +i f || exit
      ! echo text >&3; status=$?
      chattr -i f; exit $status
      """
    return Command.succeeds(["sh", "-c", script], in: folder)
  }()

  @Test(.enabled(if: canForbidWriting, "it takes root, chattr and a file system that obeys it"))
  func unwritableStoreServesReadsAndAcceptsCommitsAgainLater() async throws {
    let server = try ServerProgram()
    let address = try await server.address()
    let script = """
      \(Self.put(address, "first")); echo
      chattr +i listsync.db listsync.db-wal
      \(Self.put(address, "second")); echo
      curl -s -o /dev/null -w '%{http_code}' \(address)/v1/lists/first; echo
      curl -s -o /dev/null -w '%{http_code}' \(address)/v1/lists/second; echo
      chattr -i listsync.db listsync.db-wal
      \(Self.put(address, "second")); echo
      """
    let codes = try await Shell.run(script, in: server.folder).text.split(separator: "\n")
    #expect(codes == ["201", "500", "200", "404", "201"])
    let verified = try await Shell.listsync("verify", in: server.folder)
    #expect(verified.contains("first: 1 version") && verified.contains("second: 1 version"))
  }

  @Test func storeCreatedByTheServerIsAccessibleOnlyToItsUser() async throws {
    let server = try ServerProgram(preparation: "umask 022;")
    let address = try await server.address()
    _ = try await Shell.run(Self.put(address, "parks"), in: server.folder)
    for name in ["listsync.db", "listsync.db-wal", "listsync.db-shm"] {
      let facts = try FileManager.default.attributesOfItem(
        atPath: server.folder.appendingPathComponent(name).path)
      #expect(facts[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }
}
