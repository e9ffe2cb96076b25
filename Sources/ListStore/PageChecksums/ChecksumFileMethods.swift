import GRDBSQLite

/// What SQLite calls on an open file: reading and writing go by ``ChecksumFile``, the rest goes
/// straight to the layer below.
///
/// Memory mapping is left out, since mapped pages would be read past the checksums.
enum ChecksumFileMethods {
  // Unsafe in the compiler's eyes for being pointers; nobody writes to what they point at.
  nonisolated(unsafe) static let all = kept(table(version: 2))
  /// For a layer below that has no shared memory.
  nonisolated(unsafe) static let first = kept(table(version: 1))

  private static func kept(_ table: sqlite3_io_methods) -> UnsafePointer<sqlite3_io_methods> {
    let place = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    place.initialize(to: table)
    return UnsafePointer(place)
  }

  private static func table(version: Int32) -> sqlite3_io_methods {
    var table = sqlite3_io_methods()
    table.iVersion = version
    addContents(to: &table)
    addLocks(to: &table)
    addSharedMemory(to: &table)
    return table
  }

  private static func addContents(to table: inout sqlite3_io_methods) {
    table.xClose = { file in
      let slot = ChecksumVFS.slot(of: file!)
      let state = slot.pointee.takeRetainedValue()
      file!.pointee.pMethods = nil
      return state.methods.xClose(state.lower)
    }
    table.xRead = { file, buffer, count, offset in
      ChecksumFile.behind(file).read(into: buffer!, byteCount: Int(count), at: Int(offset))
    }
    table.xWrite = { file, bytes, count, offset in
      ChecksumFile.behind(file).write(bytes!, byteCount: Int(count), at: Int(offset))
    }
    table.xTruncate = { file, size in
      let state = ChecksumFile.behind(file)
      return state.methods.xTruncate(state.lower, size)
    }
    table.xSync = { file, flags in
      let state = ChecksumFile.behind(file)
      return state.methods.xSync(state.lower, flags)
    }
    table.xFileSize = { file, size in
      let state = ChecksumFile.behind(file)
      return state.methods.xFileSize(state.lower, size)
    }
    table.xFileControl = { file, operation, argument in
      let state = ChecksumFile.behind(file)
      return state.methods.xFileControl(state.lower, operation, argument)
    }
    table.xSectorSize = { file in
      let state = ChecksumFile.behind(file)
      return state.methods.xSectorSize(state.lower)
    }
    table.xDeviceCharacteristics = { file in
      let state = ChecksumFile.behind(file)
      return state.methods.xDeviceCharacteristics(state.lower)
    }
  }

  private static func addLocks(to table: inout sqlite3_io_methods) {
    table.xLock = { file, level in
      let state = ChecksumFile.behind(file)
      return state.methods.xLock(state.lower, level)
    }
    table.xUnlock = { file, level in
      let state = ChecksumFile.behind(file)
      return state.methods.xUnlock(state.lower, level)
    }
    table.xCheckReservedLock = { file, result in
      let state = ChecksumFile.behind(file)
      return state.methods.xCheckReservedLock(state.lower, result)
    }
  }

  private static func addSharedMemory(to table: inout sqlite3_io_methods) {
    table.xShmMap = { file, region, size, extends, place in
      let state = ChecksumFile.behind(file)
      return state.methods.xShmMap(state.lower, region, size, extends, place)
    }
    table.xShmLock = { file, offset, count, flags in
      let state = ChecksumFile.behind(file)
      return state.methods.xShmLock(state.lower, offset, count, flags)
    }
    table.xShmBarrier = { file in
      let state = ChecksumFile.behind(file)
      state.methods.xShmBarrier(state.lower)
    }
    table.xShmUnmap = { file, deletes in
      let state = ChecksumFile.behind(file)
      return state.methods.xShmUnmap(state.lower, deletes)
    }
  }
}

extension ChecksumFile {
  /// What lies behind SQLite's own part of an open file.
  static func behind(_ file: UnsafeMutablePointer<sqlite3_file>?) -> ChecksumFile {
    ChecksumVFS.slot(of: file!).pointee.takeUnretainedValue()
  }
}
