import Foundation

/// A program of this package that the build made. It lies beside the test bundle, in the build's
/// folder.
public enum BuiltProgram {
  public struct NotFound: Error, CustomStringConvertible {
    let name: String
    let folders: [String]
    public var description: String {
      "there is no built \(name) in \(folders.joined(separator: ", ")); run 'swift build' first"
    }
  }

  /// - Throws: `NotFound` when it was not built.
  public static func url(_ name: String) throws(NotFound) -> URL {
    let starts =
      [CommandLine.arguments.first.map { URL(fileURLWithPath: $0) }, Bundle.main.executableURL]
      .compactMap { $0 } + Bundle.allBundles.map(\.bundleURL)
    let folders = starts.flatMap { start in
      // On Apple platforms the tests lie three folders deep in the bundle.
      sequence(first: start.deletingLastPathComponent()) { $0.deletingLastPathComponent() }
        .prefix(4)
    }
    let programs = folders.map { $0.appendingPathComponent(name) }
    guard let program = programs.first(where: isProgram) else {
      throw NotFound(name: name, folders: folders.map(\.path))
    }
    return program
  }

  private static func isProgram(_ url: URL) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
      && !isFolder.boolValue && FileManager.default.isExecutableFile(atPath: url.path)
  }
}
