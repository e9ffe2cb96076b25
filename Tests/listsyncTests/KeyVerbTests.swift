import Foundation
import ListDocuments
import ListModel
import TestSupport
import Testing

/// Keys, and what they sign.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct KeyVerbTests {
  /// A harness with a list and the key `lists.example.key`, and its public part.
  private static func signed() async throws -> (harness: CommandLineHarness, key: String) {
    let harness = try await CommandLineHarness.withParks()
    let created = try await harness.succeed("key", "create", "lists.example")
    return (harness, try #require(created.lines.first))
  }

  private static func text(_ name: String, in harness: CommandLineHarness) throws -> String {
    try String(contentsOf: harness.url(name), encoding: .utf8)
  }

  private static func head(in harness: CommandLineHarness) throws -> PublicationHead {
    try PublicationHead(Array(try Data(contentsOf: harness.url("lists/parks/head.json"))))
  }

  @Test func onlyItsUserCanReadTheKeyAndThePublicPartIsPrinted() async throws {
    let (harness, text) = try await Self.signed()
    let key = try #require(VerifierKey(text))
    let secret = try Self.text("lists.example.key", in: harness)
    #expect(SigningKey(secret)?.verifier == key && key.name == "lists.example")
    let attributes = try FileManager.default.attributesOfItem(
      atPath: harness.url("lists.example.key").path)
    #expect((attributes[.posixPermissions] as? Int) == 0o600)
    let shown = try await harness.succeed("key", "show", "lists.example.key")
    #expect(shown.text == "\(text)\n")
    // An existing key is never replaced.
    let again = try await harness.run("key", "create", "lists.example")
    expectRefusal(again, code: 1, says: ["lists.example.key is there already", "-o"])
    #expect(!again.errorText.contains("--force"))
    #expect(try Self.text("lists.example.key", in: harness) == secret)
    #expect(try await harness.run("key", "create", "a b").exitCode == 2)
    #expect(try await harness.run("key", "create", "a/b").exitCode == 2)
    try harness.write("no key\n", to: "odd.key")
    #expect(try await harness.run("key", "show", "odd.key").errorText.contains("no private key"))
  }

  @Test func keyWhoseNameBeginsWithACombiningMarkSigns() async throws {
    let harness = try await CommandLineHarness.withParks()
    let key = try await harness.succeed("key", "create", "\u{301}lists", "-o", "lists.key").lines
    try await harness.succeed("publish", "parks", "-o", "lists", "--sign", "lists.key")
    let verified = try await harness.succeed(
      "verify", "parks", "--against", "lists/parks/head.json", "--key", try #require(key.first))
    #expect(verified.text.contains("has 1 kept cursor"))
  }

  @Test func publicationIsSignedAndItsHeadIsEvidence() async throws {
    let (harness, text) = try await Self.signed()
    try await harness.succeed("publish", "parks", "-o", "lists", "--sign", "lists.example.key")
    let key = try #require(VerifierKey(text))
    let head = try Self.head(in: harness)
    let note = try #require(head.note)
    #expect(try SignedHead(note: note, signedBy: key).isOf(head.head))
    try harness.write(note, to: "parks.note")
    try harness.write(text + "\n", to: "lists.pub")
    try await harness.succeed("edit", "parks", "--remove", "arches")
    for file in ["parks.note", "lists/parks/head.json"] {
      for key in [text, "lists.pub"] {
        let verified = try await harness.succeed(
          "verify", "parks", "--against", file, "--key", key)
        #expect(verified.text.contains("has 1 kept cursor"))
      }
    }
    // Without a key, the note is a kept cursor like others.
    try await harness.succeed("verify", "--against", "parks.note")
    let other = try await harness.succeed("key", "create", "other").lines[0]
    let refused = try await harness.run(
      "verify", "parks", "--against", "parks.note", "--key", other)
    #expect(refused.exitCode == 6 && refused.errorText.contains("(other-key)"))
    try harness.write(note.replacing("\n2\n", with: "\n1\n"), to: "forged.note")
    let forged = try await harness.run(
      "verify", "parks", "--against", "forged.note", "--key", text)
    #expect(forged.exitCode == 6 && forged.errorText.contains("(false-signature)"))
    let unsigned = try await harness.succeed("lists", "--json").output
    try harness.write(Array(unsigned), to: "lists.json")
    let nothing = try await harness.run(
      "verify", "parks", "--against", "lists.json", "--key", text)
    #expect(nothing.exitCode == 6 && nothing.errorText.contains("(unsigned)"))
    #expect(try await harness.run("verify", "--key", text).exitCode == 2)
    let secret = try await harness.run(
      "verify", "--against", "parks.note", "--key", "lists.example.key")
    #expect(secret.exitCode == 2 && secret.errorText.contains("the public one is \(text)"))
  }

  @Test func anotherHistoryIsNotTheSignedOne() async throws {
    let (harness, text) = try await Self.signed()
    try await harness.succeed("publish", "parks", "-o", "lists", "--sign", "lists.example.key")
    try FileManager.default.removeItem(at: harness.url("listsync.db"))
    for name in ["old.json", "new.json"] {
      try harness.write(#"[{"id":"a"},{"id":"\#(name)"}]"#, to: name)
      try await harness.succeed("commit", "parks", name)
    }
    let diverged = try await harness.run(
      "verify", "parks", "--against", "lists/parks/head.json", "--key", text)
    #expect(diverged.exitCode == 5)
  }

  @Test func pullAcceptsWhatTheServerSignsAndNothingElse() async throws {
    let (harness, key) = try await Self.signed()
    try await harness.succeed("key", "create", "next")
    let (server, address) = try await harness.serve("--sign-with", "lists.example.key")
    let first = try await harness.succeed("pull", "parks", address, "--key", key)
    #expect(first.text.contains("5 inserted"))
    try await harness.succeed("edit", "parks", "--remove", "arches")
    let second = try await harness.succeed("pull", "parks", address, "--key", key)
    #expect(second.text.contains("1 removed"))
    let other = try await harness.succeed("key", "show", "next.key").lines[0]
    let refused = try await harness.run("pull", "parks", address, "--key", other)
    #expect(refused.exitCode == 6 && refused.errorText.contains("(other-key)"))
    #expect(try await server.end(by: SIGTERM) == 0)

    let (silent, there) = try await harness.serve()
    let unsigned = try await harness.run(
      "pull", "parks", there, "--key", key, "--copy", "other.replica")
    #expect(unsigned.exitCode == 6 && unsigned.errorText.contains("(unsigned)"))
    #expect(try await silent.end(by: SIGTERM) == 0)
    #expect(!FileManager.default.fileExists(atPath: harness.url("other.replica").path))
  }

  @Test func bothNotesOfAForkAreKept() async throws {
    let (harness, key) = try await Self.signed()
    let (server, address) = try await harness.serve("--sign-with", "lists.example.key")
    try await harness.succeed("pull", "parks", address, "--key", key)
    #expect(try await server.end(by: SIGTERM) == 0)
    try FileManager.default.removeItem(at: harness.url("listsync.db"))
    for name in ["old.json", "new.json"] {
      try harness.write(#"[{"id":"a"},{"id":"\#(name)"}]"#, to: name)
      try await harness.succeed("commit", "parks", name)
    }
    let port = try #require(address.split(separator: ":").last.flatMap { Int($0) })
    let (again, _) = try await harness.serve("--sign-with", "lists.example.key", port: port)
    let forked = try await harness.run("pull", "parks", address, "--key", key)
    #expect(forked.exitCode == 5 && forked.errorText.contains("(forked)"))
    let notes = try Self.text("parks.replica.fork", in: harness)
    let heads = notes.components(separatedBy: "list-head/1\n").dropFirst()
      .compactMap { SignedHead(note: "list-head/1\n\($0)") }
    #expect(heads.count == 2 && Set(heads.map(\.version)) == [Version(2)])
    #expect(Set(heads.map(\.chain)).count == 2)
    #expect(forked.errorText.contains("parks.replica.fork"))
    #expect(try await again.end(by: SIGTERM) == 0)
  }

  @Test func serverWithoutAReadableKeyDoesNotStart() async throws {
    let (harness, _) = try await Self.signed()
    try harness.write("x", to: "odd.key")
    for name in ["odd.key", "absent.key"] {
      let server = try RunningProgram(
        "listsyncd", ["--port", "0", "--sign-with", name], in: harness.folder)
      #expect(try await server.end(by: 0) == 2)
      #expect(server.errorText.contains("has no private key"))
    }
  }
}
