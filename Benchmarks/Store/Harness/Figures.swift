import Foundation

/// Figures as people read them.
enum Figures {
  static func seconds(_ seconds: Double) -> String {
    switch seconds {
    case 10...: String(format: "%.1f s", seconds)
    case 1...: String(format: "%.2f s", seconds)
    case 0.0095...: String(format: "%.0f ms", seconds * 1e3)
    case 0.001...: String(format: "%.2f ms", seconds * 1e3)
    default: String(format: "%.0f µs", seconds * 1e6)
    }
  }

  static func ratio(_ value: Double) -> String {
    switch value {
    case 100...: String(format: "%.0f", value)
    case 10...: String(format: "%.1f", value)
    default: String(format: "%.2f", value)
    }
  }

  static func bytes(_ count: Int) -> String {
    switch count {
    case 10_000_000...: String(format: "%.0f MB", Double(count) / 1e6)
    case 1_000_000...: String(format: "%.1f MB", Double(count) / 1e6)
    case 10_000...: String(format: "%.0f KB", Double(count) / 1e3)
    default: "\(count) bytes"
    }
  }

  /// 1,000,000
  static func count(_ count: Int) -> String {
    var digits = Array(String(count))
    for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
    return String(digits)
  }
}
