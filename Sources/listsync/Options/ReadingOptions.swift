import ArgumentParser
import Foundation
import ListDocuments
import ListModel
import Terminal

extension SnapshotOptions.Format: ExpressibleByArgument {}
extension SnapshotOptions.Duplicates: ExpressibleByArgument {}

/// How a snapshot file is read.
struct ReadingOptions: ParsableArguments {
  @Option(
    name: .customLong("id"),
    help: ArgumentHelp(
      """
      Where an item's id stands: a member or column, or a JSON Pointer such as /code; repeat it \
      for a compound id; 'Link|link' takes the first that is there; '.' for a list of bare \
      strings (default: what the list's last commit said, else id).
      """, valueName: "field"))
  var id: [String] = []

  @Option(
    help: ArgumentHelp("Where the array stands in a JSON object, e.g. /data.", valueName: "pointer")
  )
  var items: String?

  @Option(help: "The format (default: by the file's name and first bytes).")
  var format: SnapshotOptions.Format?

  @Option(help: "What to do about items that share an id or have none.")
  var duplicates: SnapshotOptions.Duplicates = .refuse

  @Option(
    help: ArgumentHelp(
      "What separates the cells of a row (default: a comma, or a tab for .tsv); 'tab' for a tab.",
      valueName: "character"))
  var separator: String?

  /// The id rule that was given; nil where none was.
  func givenRule() throws -> IDRule? {
    guard !id.isEmpty else { return nil }
    do {
      return try IDRule(id)
    } catch {
      throw ValidationError("--id: \(Failure.text(of: error))")
    }
  }

  /// Reads a file, or standard input for `-`.
  func read(_ file: String, rule: IDRule) throws -> ReadSnapshot {
    let options = try options(rule: rule)
    let bytes = try InputFile(file).bytes(limits: options.limits)
    let progress = ProgressLine("reading \(file == "-" ? "standard input" : file)")
    defer { progress.finish() }
    let reader = SnapshotReader(options: options) { read in
      progress.show(part: read, of: bytes.count)
    }
    do {
      return try reader.read(bytes, fileName: file == "-" ? nil : file)
    } catch {
      throw InputError(file: file, error: error)
    }
  }

  /// Reads items: what a snapshot file holds, or one JSON object that is an item itself.
  func readItems(_ file: String, rule: IDRule) throws -> Snapshot {
    var options = try options(rule: rule)
    let bytes = try InputFile(file).bytes(limits: options.limits)
    let isObject = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
    if isObject, options.format == nil, options.items == nil { options.format = .ndjson }
    do {
      return try SnapshotReader(options: options)
        .read(bytes, fileName: file == "-" ? nil : file).snapshot
    } catch {
      throw InputError(file: file, error: error)
    }
  }

  func options(rule: IDRule) throws -> SnapshotOptions {
    SnapshotOptions(
      format: format ?? (separator == nil ? nil : .csv), items: try pointer(), idRule: rule,
      duplicates: duplicates, separator: try separatorByte(), limits: try Settings.limits())
  }

  private func pointer() throws -> JSONPointer? {
    guard let items else { return nil }
    guard let pointer = JSONPointer(items) else {
      throw ValidationError(
        "--items: '\(items)' is not a JSON Pointer; write /data or /result/rows.")
    }
    return pointer
  }

  private func separatorByte() throws -> UInt8? {
    guard let separator else { return nil }
    if separator == "tab" || separator == "\\t" { return UInt8(ascii: "\t") }
    guard separator.utf8.count == 1, let byte = separator.utf8.first,
      ![UInt8(ascii: "\""), 0x0A, 0x0D].contains(byte)
    else {
      throw ValidationError(
        "--separator: '\(separator)' must be one ASCII character, no quote and no line end.")
    }
    return byte
  }
}

/// A file that is read whole, or standard input.
struct InputFile {
  private static let pieceByteCount = 1 << 20

  let path: String

  init(_ path: String) { self.path = path }

  /// - Throws: `OversizedFile` when there is more than a commit may have, and no more is read then;
  ///   `UnreadableFile`.
  func bytes(limits: Limits) throws -> [UInt8] {
    do {
      // A handle also reads what is no plain file, such as the shell's <(command).
      let file = try FileHandle.reading(path)
      var bytes = try Self.start(of: file, limits)
      // What is no plain file, or has grown, has more.
      while let piece = try file.read(upToCount: Self.pieceByteCount), !piece.isEmpty {
        bytes.append(contentsOf: piece)
        guard bytes.count <= limits[.commitBytes] else {
          throw ExceededLimit(.commitBytes, bound: limits[.commitBytes])
        }
      }
      return bytes
    } catch let error as ExceededLimit {
      throw OversizedFile(path: path, exceeded: error)
    } catch {
      throw UnreadableFile(path: path, error: error)
    }
  }
}

extension InputFile {
  /// As many bytes as the system says that a file has, read to where they stay: none of what is no
  /// plain file.
  private static func start(of file: FileHandle, _ limits: Limits) throws -> [UInt8] {
    var status = stat()
    guard fstat(file.fileDescriptor, &status) == 0, status.st_size > 0 else { return [] }
    let byteCount = Int(status.st_size)
    try limits.check(byteCount, .commitBytes)
    return try [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      while count < byteCount {
        let free = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
        let readCount = read(file.fileDescriptor, free.baseAddress, free.count)
        if readCount == 0 { return }
        if readCount > 0 { count += readCount }
        if readCount < 0, errno != EINTR {
          throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
      }
    }
  }
}

/// A snapshot file that was refused, with its name.
struct InputError: Error {
  let file: String
  let error: SnapshotError
}

/// A file that the system would not read.
struct UnreadableFile: Error {
  let path: String
  let error: any Error
}
