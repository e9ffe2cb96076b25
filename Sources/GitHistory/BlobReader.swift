import Foundation

/// Reads the contents of objects, one after another, through one `git cat-file --batch`.
///
/// The requests are a file that git reads at its own pace; its answers wait in the pipe until they
/// are taken. So memory holds one content at a time, and neither side can wait for the other for
/// ever.
public struct BlobReader {
  private let process: GitProcess
  private var input: PipeReader
  private var blobs: ArraySlice<String>
  private let byteLimit: Int

  init(
    _ blobs: [String], in repository: GitRepository, byteLimit: Int
  ) throws(GitError) {
    let requests = try ScratchFile.make()
    do {
      try requests.write(contentsOf: Data(blobs.joined(separator: "\n").utf8) + Data("\n".utf8))
      try requests.seek(toOffset: 0)
    } catch {
      throw .cannotRun(reason: error.localizedDescription)
    }
    self.blobs = blobs[...]
    self.byteLimit = byteLimit
    process = try repository.start(["cat-file", "--batch", "--buffer"], input: requests)
    input = PipeReader(process.outputDescriptor)
  }

  /// The content of the next object; nil when all have been read.
  ///
  /// - Throws: `GitError.missing` when the repository does not hold it; `.tooLarge` when it is
  ///   longer than the limit, and is passed over; `.failed`.
  public mutating func next() throws(GitError) -> [UInt8]? {
    guard let blob = blobs.popFirst() else { return nil }
    guard let header = try input.line() else { throw .failed(reason: process.errorText()) }
    // <id> SP <type> SP <size>, or <id> SP "missing".
    let words = header.split(separator: " ")
    guard words.count == 3, words[0] == blob, words[1] == "blob", let size = Int(words[2]) else {
      throw words.last == "missing" ? .missing(blob: blob) : .unexpected("the header '\(header)'")
    }
    let content = size <= byteLimit ? try input.bytes(size) : nil
    if content == nil { try input.skip(size) }
    guard try input.bytes(1).count == 1 else {
      throw .failed(reason: process.errorText())
    }
    guard let content else { throw .tooLarge(blob: blob, byteCount: size) }
    return content
  }
}

extension GitRepository {
  /// Opens objects for reading, in this order.
  ///
  /// - Parameter byteLimit: how long an object may be; a longer one is not read.
  public func contents(
    of blobs: [String], byteLimit: Int = .max
  ) throws(GitError) -> BlobReader {
    try BlobReader(blobs, in: self, byteLimit: byteLimit)
  }
}
