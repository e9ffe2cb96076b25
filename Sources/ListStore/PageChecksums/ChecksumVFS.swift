import GRDBSQLite

/// A layer between SQLite and the system's files that gives each page of a store its checksum when
/// it is written, and asks for it when it is read.
///
/// SQLite calls such a layer a VFS (sqlite.org/vfs.html). This one is registered by a name of its
/// own and lies over whatever is SQLite's default at the time; other databases of the same process
/// know nothing of it.
enum ChecksumVFS {
  static let name = "listsync"

  /// Whether SQLite knows the layer.
  static let isRegistered: Bool = {
    guard sqlite3_initialize() == SQLITE_OK, let lower = sqlite3_vfs_find(nil) else { return false }
    // SQLite keeps both for as long as the process lives.
    let name = UnsafeMutablePointer<CChar>.allocate(capacity: Self.name.utf8.count + 1)
    name.update(from: Self.name, count: Self.name.utf8.count + 1)
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: table(name: name, pathByteLimit: lower.pointee.mxPathname))
    return sqlite3_vfs_register(vfs, 0) == SQLITE_OK
  }()

  /// A path as SQLite writes it in full, which is how files are known to ``DamageLog``.
  static func fullPath(_ path: String) -> String {
    guard let lower = sqlite3_vfs_find(nil) else { return path }
    let limit = Int(lower.pointee.mxPathname) + 1
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: limit) { buffer in
      let code = lower.pointee.xFullPathname(lower, path, Int32(limit), buffer.baseAddress)
      // A link on the way has a code of its own, and is no failure.
      guard code & 0xff == SQLITE_OK, let start = buffer.baseAddress else { return path }
      return String(cString: start)
    }
  }

  private static func table(
    name: UnsafePointer<CChar>, pathByteLimit: Int32
  ) -> sqlite3_vfs {
    var vfs = sqlite3_vfs()
    vfs.iVersion = 1
    vfs.szOsFile = Int32(MemoryLayout<sqlite3_file>.stride + MemoryLayout<UnsafeRawPointer>.stride)
    vfs.mxPathname = pathByteLimit
    vfs.zName = name
    vfs.xOpen = { _, path, file, flags, outFlags in
      guard let file else { return SQLITE_MISUSE }
      return ChecksumVFS.open(path, file, flags, outFlags)
    }
    vfs.xDelete = { _, path, sync in
      let lower = sqlite3_vfs_find(nil)
      return lower!.pointee.xDelete(lower, path, sync)
    }
    vfs.xAccess = { _, path, flags, result in
      let lower = sqlite3_vfs_find(nil)
      return lower!.pointee.xAccess(lower, path, flags, result)
    }
    vfs.xFullPathname = { _, path, count, result in
      let lower = sqlite3_vfs_find(nil)
      return lower!.pointee.xFullPathname(lower, path, count, result)
    }
    vfs.xRandomness = { _, count, result in
      let lower = sqlite3_vfs_find(nil)
      return lower!.pointee.xRandomness(lower, count, result)
    }
    vfs.xSleep = { _, microseconds in
      let lower = sqlite3_vfs_find(nil)
      return lower!.pointee.xSleep(lower, microseconds)
    }
    vfs.xCurrentTime = { _, result in
      let lower = sqlite3_vfs_find(nil)
      return lower!.pointee.xCurrentTime(lower, result)
    }
    vfs.xGetLastError = { _, count, result in
      let lower = sqlite3_vfs_find(nil)
      return lower!.pointee.xGetLastError(lower, count, result)
    }
    return vfs
  }

  private static func open(
    _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    file.pointee.pMethods = nil
    guard let vfs = sqlite3_vfs_find(nil) else { return SQLITE_CANTOPEN }
    let room = UnsafeMutableRawPointer.allocate(
      byteCount: Int(vfs.pointee.szOsFile), alignment: 16)
    room.initializeMemory(as: UInt8.self, repeating: 0, count: Int(vfs.pointee.szOsFile))
    let lower = room.assumingMemoryBound(to: sqlite3_file.self)
    let code = vfs.pointee.xOpen(vfs, path, lower, flags, outFlags)
    guard code == SQLITE_OK, let methods = lower.pointee.pMethods else {
      if let methods = lower.pointee.pMethods { _ = methods.pointee.xClose(lower) }
      room.deallocate()
      return code
    }
    let isDatabase = flags & SQLITE_OPEN_MAIN_DB != 0
    let state = ChecksumFile(
      lower: lower, path: isDatabase ? path.map { String(cString: $0) } : nil)
    slot(of: file).initialize(to: Unmanaged.passRetained(state))
    file.pointee.pMethods =
      methods.pointee.iVersion >= 2 ? ChecksumFileMethods.all : ChecksumFileMethods.first
    return SQLITE_OK
  }

  /// What SQLite leaves room for behind its own part of an open file.
  static func slot(
    of file: UnsafeMutablePointer<sqlite3_file>
  ) -> UnsafeMutablePointer<Unmanaged<ChecksumFile>> {
    UnsafeMutableRawPointer(file + 1).assumingMemoryBound(to: Unmanaged<ChecksumFile>.self)
  }
}
