import Foundation
import ListDocuments
import ListModel
import Logging

/// The form of a log line.
enum LogFormat: String, CaseIterable {
  /// `2026-11-22T09:08:46.123Z info request id=… method=PUT route=… status=201 ms=4`
  case text
  /// `{"time":"2026-11-22T09:08:46.123Z","level":"info","message":"request","fields":{"id":"…"}}`
  case json

  func line(_ level: Logger.Level, _ message: String, _ fields: Logger.Metadata = [:]) -> String {
    let time = "\(Timestamp(Date()))"
    let fields = fields.sorted { $0.key < $1.key }
    guard self == .json else {
      return "\(time) \(level) \(message)\(fields.map { " \($0.key)=\($0.value)" }.joined())"
    }
    let object = JSONWriter.object { writer in
      writer.member("time", time)
      writer.member("level", level.rawValue)
      writer.member("message", message)
      writer.object("fields") { writer in
        for (name, value) in fields {
          if case .stringConvertible(let number as Int) = value {
            writer.member(name, number)
          } else {
            writer.member(name, "\(value)")
          }
        }
      }
    }
    return String(decoding: object, as: UTF8.self)
  }
}

/// Writes the log to a queue of lines, so that no request waits for the log's reader.
struct QueuedLogHandler: LogHandler {
  let lines: LineQueue
  let format: LogFormat
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?

  init(lines: LineQueue, format: LogFormat) { (self.lines, self.format) = (lines, format) }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }
      .merging(event.metadata ?? [:]) { $1 }
    lines.write(format.line(event.level, "\(event.message)", all))
  }
}
