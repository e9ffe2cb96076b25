import ArgumentParser
import Foundation
import ListModel
import ListStore
import Logging

/// A reason why the server cannot start.
enum StartError: Error, Equatable {
  /// Thrown when the file of settings cannot be read, or is not a JSON object.
  case unreadableSettings(path: String, reason: String)
  /// Thrown when a source of settings has an unknown name, or a value that is not allowed. The
  /// place is "in the environment" or "in" a file.
  case invalidSetting(String, place: String, reason: String)
  /// Thrown when a standby is given for a store in a file.
  case standbyOfAFile(String)
  /// Thrown when a certificate is given without its key, or a key without its certificate.
  case halfTLS
  /// Thrown when other machines reach the address, and the store has no tokens.
  case unprotected(host: String)
  /// Thrown when a file cannot be read as PEM. The kind is "certificate" or "private key".
  case unusableTLSFile(path: String, kind: String)
  /// Thrown when a private key is not that of the certificate.
  case foreignKey(certificate: String, key: String)
  /// Thrown when the server's address, port or socket cannot be used.
  case cannotListen(place: String, reason: String, advice: String?)
  /// Thrown when a file has no private key.
  case noKey(String)
  /// Thrown when the limit of open files leaves no room for a client.
  case tooFewOpenFiles(limit: Int, needed: Int)
}

/// The text and exit code of an error that ends the server. All errors are mapped here.
struct StartFailure {
  let code: Int32
  let message: String
  var advice: String?

  /// Writes the error to standard error, and returns the exit code.
  static func report(_ error: any Error, format: LogFormat) -> Int32 {
    defer { LineQueue.errors.finish(withinSeconds: 1) }
    guard let failure = StartFailure(error) else { return reportParsing(error) }
    switch format {
    case .text:
      LineQueue.errors.write("listsyncd: \(failure.message)")
      if let advice = failure.advice { LineQueue.errors.write(advice) }
    case .json:
      let fields = failure.advice.map { ["advice": Logger.MetadataValue.string($0)] } ?? [:]
      LineQueue.errors.write(format.line(.critical, failure.message, fields))
    }
    return failure.code
  }

  init?(_ error: any Error) {
    switch error {
    case let error as StartError: self.init(error)
    case StoreError.replaced(let path):
      self.init(
        code: 8, message: "\(StoreError.replaced(store: path)); the server has ended",
        advice: "Start it again: it serves the store that is there now.")
    case let error as StoreError:
      self.init(
        code: error.saysDamage ? 6 : 8, message: "\(error)", advice: Self.advice(on: error))
    default: return nil
    }
  }

  private static func advice(on error: StoreError) -> String? {
    switch error {
    case .unreachable(_, _, let remedy): remedy
    case .cannotOpen:
      """
      The server needs the right to write the store's file and its folder, also for a log beside \
      it. To serve a store that must not change, copy it with 'listsync backup', and serve the \
      copy or the files of 'listsync publish'.
      """
    default: nil
    }
  }

  private init(_ error: StartError) {
    switch error {
    case .unreadableSettings(let path, let reason):
      self.init(
        code: 2, message: "\(path): the settings cannot be read: \(reason)",
        advice: "Write a JSON object, such as {\"port\": 8080}, that the server's user may read.")
    case .invalidSetting(let name, let place, let reason):
      self.init(code: 2, message: "\(name) \(place): \(reason)")
    case .standbyOfAFile(let path):
      self.init(
        code: 2, message: "read-from: the store \(path) is a file, and has no standby",
        advice: "Name a PostgreSQL database as the store, or leave read-from out.")
    case .halfTLS:
      self.init(code: 2, message: "tls-certificate and tls-key: give both files, or none")
    case .unprotected(let host):
      self.init(
        code: 2,
        message: """
          \(host) can be reached from other machines, and the store has no tokens: everyone could \
          read and write
          """,
        advice: """
          Make a token with 'listsync token create', listen on 127.0.0.1, or use --without-tokens \
          if something else protects the server.
          """)
    case .unusableTLSFile(let path, let kind):
      self.init(
        code: 2, message: "\(path) has no \(kind) in PEM form that can be read",
        advice: "Check the name, the permissions and the form: -----BEGIN …")
    case .foreignKey(let certificate, let key):
      self.init(
        code: 2,
        message: "the private key in \(key) is not that of the certificate in \(certificate)",
        advice: "Name the key of the first certificate in the file; those of its chain follow it.")
    case .cannotListen(let place, let reason, let advice):
      self.init(code: 8, message: "cannot listen on \(place): \(reason)", advice: advice)
    case .noKey(let path):
      self.init(
        code: 2, message: "\(path) has no private key that can be read",
        advice: "Check the name and the permissions; 'listsync key create' makes such a file.")
    case .tooFewOpenFiles(let limit, let needed):
      self.init(
        code: 2, message: "only \(limit) files may be open, and the server needs \(needed)",
        advice: "Raise the limit: 'ulimit -n', or LimitNOFILE= of systemd.")
    }
  }

  private init(code: Int32, message: String, advice: String? = nil) {
    self.code = code
    self.message = message
    self.advice = advice
  }

  /// Handles the errors of ArgumentParser: requested help, and unknown arguments.
  private static func reportParsing(_ error: any Error) -> Int32 {
    let text = ListSyncD.fullMessage(for: error)
    if ListSyncD.exitCode(for: error).isSuccess {
      if !text.isEmpty { LineQueue.output.write(text) }
      LineQueue.output.finish(withinSeconds: 10)
      return 0
    }
    LineQueue.errors.write(text)
    return ListSyncD.exitCode(for: error) == .validationFailure ? 2 : 1
  }
}
