import Foundation
import ListStore
import SQLiteStore

/// Where and when the figures were taken.
enum Machine {
  static func description(scale: Double, rounds: Int) -> String {
    let day = ISO8601DateFormatter().string(from: Date()).prefix(10)
    return """
      Measured on \(day): \(processor), \(ProcessInfo.processInfo.activeProcessorCount) cores, \
      \(ProcessInfo.processInfo.operatingSystemVersionString), SQLite \
      \(SQLiteStore.libraryVersion), scale \(scale), medians of \(rounds) rounds.
      """
  }

  private static var processor: String {
    let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let model = lines.split(separator: "\n").first { $0.hasPrefix("model name") }
    let name = model?.split(separator: ":").last.map { $0.drop(while: { $0 == " " }) }
    return name.map(String.init) ?? "unknown processor"
  }
}
