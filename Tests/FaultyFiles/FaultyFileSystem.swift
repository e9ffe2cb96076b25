import Foundation
import GRDBSQLite

/// The file system below. Safe because it is set once, and never changed or freed.
nonisolated(unsafe) private let inner: UnsafeMutablePointer<sqlite3_vfs> = sqlite3_vfs_find(nil)

/// A SQLite file system (VFS) over the former default one. It becomes the default. Files in
/// unwatched folders go to the system below unchanged.
///
/// Source: https://www.sqlite.org/vfs.html, section 2.3 (shims).
enum FaultyFileSystem {
  private static let isInstalled: Bool = {
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: layered())
    return sqlite3_vfs_register(vfs, 1) == SQLITE_OK
  }()

  static func install() { precondition(isInstalled, "SQLite takes a file system") }

  private static func layered() -> sqlite3_vfs {
    var vfs = inner.pointee
    vfs.pNext = nil
    vfs.zName = UnsafePointer(strdup("faulty-files"))
    vfs.szOsFile += CInt(FaultyFile.headerByteCount)
    vfs.xOpen = { FaultyFileSystem.open($1, $2, $3, $4) }
    vfs.xDelete = { FaultyFileSystem.delete($1, $2) }
    // The other methods belong to the inner system, which needs itself as the argument.
    vfs.xAccess = { inner.pointee.xAccess(inner, $1, $2, $3) }
    vfs.xFullPathname = { inner.pointee.xFullPathname(inner, $1, $2, $3) }
    vfs.xDlOpen = { inner.pointee.xDlOpen(inner, $1) }
    vfs.xDlError = { inner.pointee.xDlError(inner, $1, $2) }
    vfs.xDlSym = { inner.pointee.xDlSym(inner, $1, $2) }
    vfs.xDlClose = { inner.pointee.xDlClose(inner, $1) }
    vfs.xRandomness = { inner.pointee.xRandomness(inner, $1, $2) }
    vfs.xSleep = { inner.pointee.xSleep(inner, $1) }
    vfs.xCurrentTime = { inner.pointee.xCurrentTime(inner, $1) }
    vfs.xGetLastError = { inner.pointee.xGetLastError(inner, $1, $2) }
    vfs.xCurrentTimeInt64 = { inner.pointee.xCurrentTimeInt64(inner, $1) }
    vfs.xSetSystemCall = { inner.pointee.xSetSystemCall(inner, $1, $2) }
    vfs.xGetSystemCall = { inner.pointee.xGetSystemCall(inner, $1) }
    vfs.xNextSystemCall = { inner.pointee.xNextSystemCall(inner, $1) }
    return vfs
  }

  private static func open(
    _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: CInt,
    _ outFlags: UnsafeMutablePointer<CInt>?
  ) -> CInt {
    guard let file else { return SQLITE_CANTOPEN }
    guard let (folder, name) = FaultyFolders.place(of: path) else {
      return inner.pointee.xOpen(inner, path, file, flags, outFlags)
    }
    file.pointee.pMethods = nil
    if let fault = folder.fault(of: .open) { return fault.code }
    var isThere: CInt = 0
    _ = inner.pointee.xAccess(inner, path, SQLITE_ACCESS_EXISTS, &isThere)
    let below = FaultyFile.inner(file)
    let code = inner.pointee.xOpen(inner, path, below, flags, outFlags)
    guard code == SQLITE_OK else { return code }
    if isThere == 0 { folder.note { $0.create(name) } }
    FaultyFile.begin(file, in: folder, name, flags: flags)
    return SQLITE_OK
  }

  private static func delete(_ path: UnsafePointer<CChar>?, _ syncsFolder: CInt) -> CInt {
    guard let (folder, name) = FaultyFolders.place(of: path) else {
      return inner.pointee.xDelete(inner, path, syncsFolder)
    }
    if let fault = folder.fault(of: .delete) { return fault.code }
    let code = inner.pointee.xDelete(inner, path, syncsFolder)
    if code == SQLITE_OK { folder.note { $0.delete(name, syncsFolder: syncsFolder != 0) } }
    return code
  }
}
