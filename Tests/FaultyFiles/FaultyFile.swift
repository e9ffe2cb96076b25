import GRDBSQLite

private typealias File = UnsafeMutablePointer<sqlite3_file>

/// The file of the system below, and its methods.
private func below(_ file: File) -> (file: File, methods: sqlite3_io_methods) {
  let below = FaultyFile.inner(file)
  return (below, below.pointee.pMethods.pointee)
}

/// A file of a watched folder that SQLite holds open. In memory, what SQLite allocates for it:
///
///     | methods | this | the file of the file system below ... |
final class FaultyFile {
  private let folder: FaultyFolder
  private let name: String
  /// Whether the next sync also syncs the folder. The system below does this for files that may be
  /// new, so their names are on the disk.
  private var syncsFolder: Bool

  private init(_ folder: FaultyFolder, _ name: String, syncsFolder: Bool) {
    self.folder = folder
    self.name = name
    self.syncsFolder = syncsFolder
  }

  private struct Header {
    var base: sqlite3_file
    var file: Unmanaged<FaultyFile>
  }

  static let headerByteCount = MemoryLayout<Header>.stride

  /// The file of the system below.
  static func inner(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<
    sqlite3_file
  > {
    (UnsafeMutableRawPointer(file) + headerByteCount).assumingMemoryBound(to: sqlite3_file.self)
  }

  /// Starts recording a file that the system below has opened.
  static func begin(
    _ file: UnsafeMutablePointer<sqlite3_file>, in folder: FaultyFolder, _ name: String,
    flags: CInt
  ) {
    let logs = SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL
    let opened = FaultyFile(
      folder, name, syncsFolder: flags & SQLITE_OPEN_CREATE != 0 && flags & logs != 0)
    UnsafeMutableRawPointer(file).assumingMemoryBound(to: Header.self).pointee = Header(
      base: sqlite3_file(
        pMethods: methods(version: inner(file).pointee.pMethods.pointee.iVersion)),
      file: .passRetained(opened))
    folder.noteOpenFiles(1)
  }

  private static func opened(_ file: UnsafeMutablePointer<sqlite3_file>) -> FaultyFile {
    header(file).pointee.file.takeUnretainedValue()
  }

  private static func header(
    _ file: UnsafeMutablePointer<sqlite3_file>
  ) -> UnsafeMutablePointer<Header> {
    UnsafeMutableRawPointer(file).assumingMemoryBound(to: Header.self)
  }
}

extension FaultyFile {
  // Safe because it is set once, and never changed or freed.
  nonisolated(unsafe) private static let methodsByVersion = (1...3).map { version in
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: makeMethods(version: CInt(version)))
    return UnsafePointer(methods)
  }

  /// The methods of a file, limited to those of the system below.
  private static func methods(version: CInt) -> UnsafePointer<sqlite3_io_methods> {
    methodsByVersion[Int(min(max(version, 1), 3)) - 1]
  }

  private static func makeMethods(version: CInt) -> sqlite3_io_methods {
    var methods = sqlite3_io_methods()
    methods.iVersion = version
    methods.xClose = { FaultyFile.close($0!) }
    methods.xRead = { FaultyFile.read($0!, $1, $2, $3) }
    methods.xWrite = { FaultyFile.write($0!, $1, $2, $3) }
    methods.xTruncate = { FaultyFile.truncate($0!, $1) }
    methods.xSync = { FaultyFile.sync($0!, $1) }
    methods.xFileSize = { below($0!).methods.xFileSize(below($0!).file, $1) }
    methods.xLock = { below($0!).methods.xLock(below($0!).file, $1) }
    methods.xUnlock = { below($0!).methods.xUnlock(below($0!).file, $1) }
    methods.xCheckReservedLock = { below($0!).methods.xCheckReservedLock(below($0!).file, $1) }
    methods.xFileControl = { below($0!).methods.xFileControl(below($0!).file, $1, $2) }
    methods.xSectorSize = { below($0!).methods.xSectorSize(below($0!).file) }
    methods.xDeviceCharacteristics = {
      below($0!).methods.xDeviceCharacteristics(below($0!).file)
    }
    methods.xShmMap = { FaultyFile.mapSharedMemory($0!, $1, $2, $3, $4) }
    methods.xShmLock = { below($0!).methods.xShmLock(below($0!).file, $1, $2, $3) }
    methods.xShmBarrier = { below($0!).methods.xShmBarrier(below($0!).file) }
    methods.xShmUnmap = { below($0!).methods.xShmUnmap(below($0!).file, $1) }
    // No memory mapping: SQLite then reads, and reads are counted.
    methods.xFetch = { _, _, _, page in
      page?.pointee = nil
      return SQLITE_OK
    }
    methods.xUnfetch = { _, _, _ in SQLITE_OK }
    return methods
  }

  private static func close(_ file: File) -> CInt {
    let below = below(file)
    let code = below.methods.xClose(below.file)
    opened(file).folder.noteOpenFiles(-1)
    header(file).pointee.file.release()
    file.pointee.pMethods = nil
    return code
  }

  private static func read(
    _ file: File, _ bytes: UnsafeMutableRawPointer?, _ count: CInt, _ offset: sqlite3_int64
  ) -> CInt {
    if let fault = opened(file).folder.fault(of: .read) { return fault.code }
    let below = below(file)
    return below.methods.xRead(below.file, bytes, count, offset)
  }

  private static func write(
    _ file: File, _ bytes: UnsafeRawPointer?, _ count: CInt, _ offset: sqlite3_int64
  ) -> CInt {
    let (below, opened) = (below(file), opened(file))
    let fault = opened.folder.fault(of: .write)
    let written = fault.map { $0.isShort ? count / 2 : 0 } ?? count
    if written > 0 {
      let code = below.methods.xWrite(below.file, bytes, written, offset)
      guard code == SQLITE_OK else { return code }
      opened.folder.note {
        $0.write(
          opened.name, UnsafeRawBufferPointer(start: bytes, count: Int(written)), at: Int(offset))
      }
    }
    return fault?.code ?? SQLITE_OK
  }

  private static func truncate(_ file: File, _ byteCount: sqlite3_int64) -> CInt {
    let (below, opened) = (below(file), opened(file))
    if let fault = opened.folder.fault(of: .truncate) { return fault.code }
    let code = below.methods.xTruncate(below.file, byteCount)
    if code == SQLITE_OK { opened.folder.note { $0.truncate(opened.name, to: Int(byteCount)) } }
    return code
  }

  private static func sync(_ file: File, _ flags: CInt) -> CInt {
    let (below, opened) = (below(file), opened(file))
    if let fault = opened.folder.fault(of: .sync) { return fault.code }
    let code = below.methods.xSync(below.file, flags)
    if code == SQLITE_OK {
      opened.folder.note { $0.sync(opened.name, syncsFolder: opened.syncsFolder) }
      opened.syncsFolder = false
    }
    return code
  }

  private static func mapSharedMemory(
    _ file: File, _ region: CInt, _ byteCount: CInt, _ extends: CInt,
    _ memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> CInt {
    let below = below(file)
    let code = below.methods.xShmMap(below.file, region, byteCount, 0, memory)
    // Unless it may extend the file, SQLite gets no memory beyond the file's end.
    guard code == SQLITE_OK, memory?.pointee == nil, extends != 0 else { return code }
    if let fault = opened(file).folder.fault(of: .growSharedMemory) { return fault.code }
    return below.methods.xShmMap(below.file, region, byteCount, extends, memory)
  }
}
