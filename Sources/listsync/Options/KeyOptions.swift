import ArgumentParser
import Foundation
import ListDocuments

/// The public key of a signer.
struct KeyOptions: ParsableArguments {
  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      """
      Refuse what is not signed by this key: what 'listsync key create' printed, or a file with it.
      """,
      valueName: "key|file"),
    completion: .file())
  var text: String?

  /// Nil without --key.
  ///
  /// - Throws: `ValidationError`.
  func key() throws -> VerifierKey? {
    guard let text else { return nil }
    if let key = VerifierKey(text) { return key }
    let content = try? String(contentsOfFile: text, encoding: .utf8)
    let line = content?.trimmingCharacters(in: .whitespacesAndNewlines)
    if let key = line.flatMap({ VerifierKey($0) }) { return key }
    let found =
      line.flatMap { SigningKey($0) }.map {
        "it has the private key; the public one is \($0.verifier)"
      }
      ?? (content == nil
        ? "it is no key, and no file that can be read" : "the file has no such key")
    throw ValidationError("--key: write a public key NAME+ID+BASE64, or its file: \(found).")
  }
}
