import Foundation
import Synchronization

/// A folder whose SQLite files can be made to fail. It records the possible files after a power
/// cut. Files elsewhere are unaffected.
///
/// It sees only SQLite's file operations in this process. It does not see the shared memory of the
/// write-ahead log, which does not survive a power cut, nor temporary files, which have no name.
public final class FaultyFolder: Sendable {
  /// The folder's path without symbolic links, as in SQLite's file names.
  let path: String
  private let state: Mutex<State>

  private struct State {
    var plan: FaultPlan?
    var counts: [FileOperation: Int] = [:]
    var disk = DiskState()
    var openFileCount = 0
    var observer: (@Sendable (FileOperation, DiskState) -> Void)?
  }

  /// Watches a folder as long as this object exists. The files in it count as synced.
  public init(_ url: URL) throws {
    guard let resolved = realpath(url.path, nil) else {
      throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: url.path])
    }
    defer { free(resolved) }
    path = String(cString: resolved)
    var state = State()
    for name in try FileManager.default.contentsOfDirectory(atPath: path)
    where !name.hasSuffix("-shm") {
      let file = URL(fileURLWithPath: path).appendingPathComponent(name)
      state.disk.add(name, Array(try Data(contentsOf: file)))
    }
    self.state = Mutex(state)
    FaultyFileSystem.install()
    FaultyFolders.add(self)
  }

  deinit { FaultyFolders.remove(path) }

  /// The planned fault; setting it restarts the counting. Nil lets everything succeed.
  public var plan: FaultPlan? {
    get { state.withLock { $0.plan } }
    set { state.withLock { $0.plan = newValue } }
  }

  /// The number of operations since the counts were reset, including failed ones.
  public var counts: [FileOperation: Int] {
    get { state.withLock { $0.counts } }
    set { state.withLock { $0.counts = newValue } }
  }

  /// The number of operations of some kinds.
  public func count(of operations: Set<FileOperation>) -> Int {
    counts.reduce(0) { $0 + (operations.contains($1.key) ? $1.value : 0) }
  }

  public var disk: DiskState { state.withLock { $0.disk } }

  /// The number of files that SQLite holds open in the folder.
  public var openFileCount: Int { state.withLock { $0.openFileCount } }

  /// Calls a closure before each operation that changes something, with the files at that moment.
  /// The closure must not call this folder.
  public func observe(_ observer: (@Sendable (FileOperation, DiskState) -> Void)?) {
    state.withLock { $0.observer = observer }
  }
}

extension FaultyFolder {
  /// Counts an operation, and returns its fault.
  func fault(of operation: FileOperation) -> FaultPlan.Fault? {
    state.withLock { state in
      state.counts[operation, default: 0] += 1
      if operation != .read { state.observer?(operation, state.disk) }
      return state.plan?.fault(of: operation)
    }
  }

  /// Records a change.
  func note(_ change: (inout DiskState) -> Void) { state.withLock { change(&$0.disk) } }

  func noteOpenFiles(_ difference: Int) { state.withLock { $0.openFileCount += difference } }
}

/// The watched folders, by path.
enum FaultyFolders {
  private struct Entry {
    weak var folder: FaultyFolder?
  }

  private static let entries = Mutex<[String: Entry]>([:])

  static func add(_ folder: FaultyFolder) {
    entries.withLock { $0[folder.path] = Entry(folder: folder) }
  }

  static func remove(_ path: String) {
    entries.withLock { entries in
      if entries[path]?.folder == nil { entries[path] = nil }
    }
  }

  /// The watched folder of a file, and the file's name in it; nil if the folder is not watched.
  static func place(of path: UnsafePointer<CChar>?) -> (folder: FaultyFolder, name: String)? {
    guard let path = path.map({ String(cString: $0) }),
      let slash = path.lastIndex(of: "/")
    else { return nil }
    let folder = entries.withLock { $0[String(path[..<slash])]?.folder }
    return folder.map { ($0, String(path[path.index(after: slash)...])) }
  }
}
