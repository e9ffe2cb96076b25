import Foundation
import TestSupport

/// Generated histories of shapes that take room in different ways.
struct ShapedHistory: Sendable {
  let name: String
  let versionCount: Int
  var idRule = "id"
  /// Gives each version, oldest first, as the lines of an NDJSON file.
  let versions: @Sendable (_ count: Int, _ receive: ([UInt8]) throws -> Void) throws -> Void

  static let all = [nested, strings, largeItems, ranking, tenItems]

  private static func bytes(_ lines: some Sequence<String>) -> [UInt8] {
    Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  private static func word(_ random: inout SeededRandom) -> String {
    String((0..<8).map { _ in "abcdefghijklmnopqrstuvwxyz".randomElement(using: &random)! })
  }

  static let nested = ShapedHistory(name: "1,000 deeply nested items", versionCount: 200) {
    count, receive in
    var random = SeededRandom(seed: 11)
    var values = (0..<1000).map { _ in (0..<4).map { _ in Int.random(in: 0..<100, using: &random) }
    }
    for _ in 0..<count {
      try receive(
        bytes(
          values.enumerated().map { number, value in
            """
            {"id":"n\(number)","a":{"b":{"c":{"d":[\(value[0]),{"e":{"f":\(value[1])}}],"g":\
            {"h":[[\(value[2])],[\(value[3])]]}}}}}
            """
          }))
      for _ in 0..<20 {
        values[.random(in: 0..<1000, using: &random)][.random(in: 0..<4, using: &random)] =
          .random(in: 0..<100, using: &random)
      }
    }
  }

  static let strings = ShapedHistory(
    name: "10,000 bare strings, two thirds vanish and return", versionCount: 60, idRule: "."
  ) {
    count, receive in
    var random = SeededRandom(seed: 12)
    let words = (0..<10_000).map { "\(word(&random))-\($0)" }
    for version in 0..<count {
      let isWhole = version.isMultiple(of: 2)
      try receive(
        bytes(
          words.enumerated().filter { isWhole || $0.offset % 3 == version / 2 % 3 }.map {
            "\"\($0.element)\""
          }))
    }
  }

  static let largeItems = ShapedHistory(
    name: "100 items of 4 kB, one member changes", versionCount: 200
  ) {
    count, receive in
    var random = SeededRandom(seed: 13)
    let texts = (0..<100).map { _ in (0..<440).map { _ in word(&random) }.joined(separator: " ") }
    var values = Array(repeating: 0, count: 100)
    for _ in 0..<count {
      try receive(
        bytes(
          texts.enumerated().map { number, text in
            #"{"id":"l\#(number)","text":"\#(text)","visits":\#(values[number])}"#
          }))
      for _ in 0..<20 {
        values[.random(in: 0..<100, using: &random)] = .random(in: 0..<100_000, using: &random)
      }
    }
  }

  static let ranking = ShapedHistory(
    name: "a ranking of 500, in another order each day", versionCount: 120
  ) {
    count, receive in
    var random = SeededRandom(seed: 14)
    var places = (0..<500).map { Double($0) }
    let words = (0..<500).map { _ in word(&random) }
    for _ in 0..<count {
      let order = places.indices.sorted { places[$0] < places[$1] }
      try receive(bytes(order.map { #"{"id":"r\#($0)","title":"\#(words[$0])"}"# }))
      for index in places.indices { places[index] += .random(in: -40...40, using: &random) }
    }
  }

  static let tenItems = ShapedHistory(name: "ten items", versionCount: 100_000) { count, receive in
    var random = SeededRandom(seed: 15)
    var values = Array(repeating: 0, count: 10)
    for version in 0..<count {
      try receive(
        bytes(values.enumerated().map { #"{"id":"t\#($0.offset)","value":\#($0.element)}"# }))
      values[.random(in: 0..<10, using: &random)] = version
    }
  }
}

extension ShapedHistory {
  func repository(bench: Workbench) throws -> GitRepository {
    try GitRepository(bench: bench, fileName: "list.ndjson") { receive in
      try versions(bench.scaled(versionCount), receive)
    }
  }
}
