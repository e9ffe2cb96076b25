import Foundation
import ListDocuments
import TestSupport

/// A file of `Tests/Conformance`: vectors of one kind, one a line.
struct VectorFile: CustomStringConvertible {
  let name: String
  let about: String
  /// Objects with at least a `name`, and the `rules` of `Documentation/Protocol.md` that they
  /// judge.
  let vectors: [VectorValue]

  static func all() throws -> [VectorFile] {
    [
      spellings, try contents(), try roots(), try chains(), try diffs(), try compositions(),
      try deltas(), try refusals(), try merges(), try bundles(), try answers(), waits,
      try scenarios(), try exchanges(), try proofs(), try publications(), try notes(),
    ]
  }

  var description: String { name }

  var url: URL { Self.folder.appendingPathComponent("\(name).json") }

  static let folder = Project.root.appendingPathComponent("Tests/Conformance")

  var bytes: [UInt8] {
    JSONWriter.object { writer in
      writer.member("format", "list-vectors/1")
      writer.member("about", about)
      writer.lineBreak()
      writer.array("vectors") { writer in
        for vector in vectors {
          writer.lineBreak()
          writer.write(vector)
        }
      }
    } + "\n".utf8
  }

  /// The vectors of a checked-in file.
  static func read(_ name: String) throws -> [JSONValue] {
    let bytes = try Data(contentsOf: folder.appendingPathComponent("\(name).json"))
    return try JSONValue(parsing: bytes)["vectors"]?.elements ?? []
  }
}
