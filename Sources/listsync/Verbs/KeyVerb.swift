import ArgumentParser
import Foundation
import ListDocuments
import ListModel
import LocalFiles

struct KeyVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Makes the keys that sign the heads of lists.",
    discussion: """
      A signed head is a short note that a list had a root and a history at a version. Clients \
      that have the public key refuse every other head, whoever serves it.

      EXAMPLE
        listsync key create lists.example
        listsync publish parks -o /srv/www/lists --sign lists.example.key
        listsync key show lists.example.key
      """,
    subcommands: [KeyCreate.self, KeyShow.self])
}

struct KeyCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Creates a key in a file that only you can read, and prints its public part.",
    discussion: """
      The name is for people: a host is a good one. Everybody who has the file can sign, and \
      nobody can make it again: keep a copy in a safe place. The public part is for everybody.

      EXAMPLE
        listsync key create lists.example
        listsync key create lists.example -o next.key
      """)

  @Argument(help: "The key's name, such as lists.example.") var name: String
  @Option(
    name: .shortAndLong, help: .file("The file of the key (default: NAME.key)."),
    completion: .file())
  var output: String?
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if output == nil, name.contains("/") {
      throw ValidationError("the name has a '/': name the file with -o.")
    }
  }

  func run() async throws {
    guard let key = SigningKey(name: name) else {
      throw ValidationError("the name of a key is \(VerifierKey.nameRule).")
    }
    let path = output ?? "\(name).key"
    let mask = umask(0o077)
    defer { umask(mask) }
    let file = try Self.newFile(path)
    try file.write(Array("\(key.secretText)\n".utf8))
    try file.finish()
    try Output.answer(afterChange: "the key is in \(path); 'listsync key show \(path)' shows it") {
      try answer.write(key.verifier)
    }
    Output.diagnostic("the private key is in \(path): keep it safe, and a copy of it")
  }

  private static func newFile(_ path: String) throws -> OutputFile {
    do {
      return try OutputFile(path, replaces: false)
    } catch FileError.alreadyThere {
      throw VerbError.keyIsThere(path)
    }
  }
}

struct KeyShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Prints the public part of a key.",
    discussion: """
      EXAMPLE
        listsync key show lists.example.key
      """)

  @Argument(help: "The key's file.", completion: .file()) var file: String
  @OptionGroup var answer: AnswerOptions

  func run() async throws { try answer.write(SigningKey(inFile: file).verifier) }
}

extension AnswerOptions {
  fileprivate func write(_ key: VerifierKey) throws {
    try write("\(key)") { writer in
      writer.member("name", key.name)
      writer.member("key", "\(key)")
    }
  }
}

extension SigningKey {
  /// Reads a key's file.
  ///
  /// - Throws: `VerbError.unreadable`, `.refused`, `.noKey`.
  init(inFile path: String) throws {
    let bytes = try InputFile.bytes(of: path, limits: .standard)
    guard let key = SigningKey(String(decoding: bytes, as: UTF8.self)) else {
      throw VerbError.noKey(path)
    }
    self = key
  }
}
