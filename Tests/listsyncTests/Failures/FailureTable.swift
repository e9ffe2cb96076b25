import Foundation
import TestSupport
import Testing

@testable import listsync

/// The errors of a program with their exit codes, texts and advice, as a file of lines.
///
///     table = *row
///     row   = code " " problem " " error LF *("  " text LF) *("    " advice LF)
struct FailureTable {
  let rows: [(error: String, failure: Failure)]

  var text: String { rows.map(Self.text).joined() }

  private static func text(_ error: String, _ failure: Failure) -> String {
    let problem = failure.problem.map { "\($0)" } ?? "-"
    var lines = ["\(failure.code.rawValue) \(problem) \(error)"]
    lines += failure.message.split(separator: "\n").map { "  \($0)" }
    lines += (failure.advice ?? "").split(separator: "\n").map { "    \($0)" }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Compares the table with a file of `Tests/Fixtures`.
  func expectEqual(to name: String) throws {
    let url = Project.root.appendingPathComponent("Tests/Fixtures/\(name)")
    if ProcessInfo.processInfo.environment["LISTSYNC_UPDATE_DOCUMENTATION"] != nil {
      try text.write(to: url, atomically: true, encoding: .utf8)
    }
    let kept = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
    let difference = text.split(separator: "\n").difference(from: kept)
    #expect(difference.isEmpty, "LISTSYNC_UPDATE_DOCUMENTATION=1 writes \(name) again")
  }

  /// Requires a row for each case of an enum, which is read from its source file.
  func expectAllCases(of enumeration: String, in path: String) throws {
    let source = try String(
      contentsOf: Project.root.appendingPathComponent("Sources/\(path)"), encoding: .utf8)
    let lines = source.split(separator: "\n").map(String.init)
      .drop { !$0.contains("enum \(enumeration): Error") }.dropFirst().prefix { $0 != "}" }
    let names = lines.compactMap { $0.prefixMatch(of: /\ \ (?:indirect )?case (\w+)/)?.1 }
    #expect(!names.isEmpty, "\(enumeration) is not in \(path)")
    for name in names {
      #expect(
        rows.contains { $0.error.split(separator: " ").contains("\(enumeration).\(name)") },
        "no row for \(enumeration).\(name)")
    }
  }

  /// The type and the case of an error, and of the errors that it holds: `VerbError.refused
  /// EditError.json`.
  static func name(of error: some Error) -> String {
    let type = "\(type(of: error))"
    guard Mirror(reflecting: error).displayStyle == .enum, let name = caseName(of: error) else {
      return type
    }
    let held = Mirror(reflecting: error).children.first?.value
    let values = held.map { Mirror(reflecting: $0).children.map(\.value) + [$0] } ?? []
    let inner = values.lazy.compactMap { $0 as? any Error }.first
    return "\(type).\(String(cString: name))" + (inner.map { " \(Self.name(of: $0))" } ?? "")
  }
}

/// The name of an enum's case, also if the enum has a description of its own, which mirrors show
/// instead.
@_silgen_name("swift_EnumCaseName")
private func caseName<Value>(of value: Value) -> UnsafePointer<CChar>?
