import ArgumentParser
import Foundation
import ListModel
import ListStore
import NIOCore

/// Every error that ends the server becomes a text and an exit code here.
struct StartFailure {
  let code: Int32
  let message: String
  var advice: String?

  /// Tells the error on standard error, and returns the exit code.
  static func report(_ error: any Error) -> Int32 {
    defer { LineQueue.errors.finish(withinSeconds: 1) }
    guard let failure = StartFailure(error) else { return reportParsing(error) }
    note("listsyncd: \(failure.message)")
    if let advice = failure.advice { note(advice) }
    return failure.code
  }

  private init?(_ error: any Error) {
    switch error {
    case let error as UnprotectedAddress:
      self.init(
        code: 2,
        message: """
          \(error.host) can be reached from other machines, and the store has no tokens: everybody could \
          read and write
          """,
        advice: """
          Make a token with 'listsync token create', listen on 127.0.0.1, or say --without-tokens where \
          something else protects the server.
          """)
    case let error as UnusableTLSFile:
      self.init(
        code: 2, message: "\(error.path) has no \(error.what) in PEM form that can be read",
        advice: "Check the name, the permissions and the form: -----BEGIN …")
    case let error as InvalidLimit: self.init(code: 2, message: "\(error)")
    case let error as InvalidWait: self.init(code: 2, message: "\(error)")
    case let error as TooFewOpenFiles:
      self.init(
        code: 2,
        message: "only \(error.limit) files may be open, and the server needs \(error.needed)",
        advice: "Raise the limit: 'ulimit -n', or LimitNOFILE= of systemd.")
    case StoreError.replaced(let path):
      self.init(
        code: 8, message: "\(StoreError.replaced(path: path)); the server has ended",
        advice: "Start it again: it serves the store that is there now.")
    case let error as StoreError: self.init(code: 8, message: "\(error)")
    case let error as IOError:
      self.init(
        code: 8, message: "cannot listen: \(String(cString: strerror(error.errnoCode)))",
        advice: "Another program may use the port: name another with --port.")
    default: return nil
    }
  }

  private init(code: Int32, message: String, advice: String? = nil) {
    self.code = code
    self.message = message
    self.advice = advice
  }

  /// What ArgumentParser throws: help that was asked for, or words that it does not know.
  private static func reportParsing(_ error: any Error) -> Int32 {
    let text = ListSyncD.fullMessage(for: error)
    if ListSyncD.exitCode(for: error).isSuccess {
      if !text.isEmpty { LineQueue.output.write(text) }
      LineQueue.output.finish(withinSeconds: 10)
      return 0
    }
    note(text)
    return ListSyncD.exitCode(for: error) == .validationFailure ? 2 : 1
  }

  private static func note(_ text: String) { LineQueue.errors.write(text) }
}
