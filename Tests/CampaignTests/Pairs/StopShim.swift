import Foundation
import TestSupport

/// `Tests/StopAtCall` as a library. It stops a program before its n-th call on the files of a
/// folder.
enum StopShim {
  /// Nil if it cannot be built here: it needs Linux and a C compiler, which Swift needs too.
  static let path: String? = build()

  private static func build() -> String? {
    #if os(Linux)
      let source = Project.root.appendingPathComponent("Tests/StopAtCall/stop_at_call.c").path
      guard let folder = try? TemporaryFolder.make() else { return nil }
      let library = folder.appendingPathComponent("stop-at-call.so").path
      let isBuilt = ["cc", "clang", "gcc"].contains { compiler in
        Command.succeeds([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"])
      }
      return isBuilt ? library : nil
    #else
      return nil
    #endif
  }
}

/// The place where a program stops, and the number of calls it has made.
struct StopPlan {
  /// The folder whose files count.
  let folder: URL
  /// The program stops before this call; 0 for none.
  let number: Int
  private let counter: URL

  init(at number: Int, in folder: URL, counter: URL) throws {
    (self.number, self.folder, self.counter) = (number, folder, counter)
    try Data(count: MemoryLayout<Int>.size).write(to: counter)
  }

  var environment: [String: [UInt8]] {
    [
      "LD_PRELOAD": StopShim.path ?? "", "STOP_FOLDER": folder.path, "STOP_AT": "\(number)",
      "STOP_COUNT": counter.path,
    ].mapValues { Array($0.utf8) }
  }

  var callCount: Int {
    get throws { try Data(contentsOf: counter).withUnsafeBytes { $0.load(as: Int.self) } }
  }
}
