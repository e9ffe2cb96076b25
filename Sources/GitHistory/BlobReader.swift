import Foundation

/// Reads the contents of objects, one after another, through one `git cat-file --batch`.
///
/// The requests are in a file that git reads at its own pace, and its answers wait in the pipe. So
/// memory holds one content at a time, and neither side can block the other forever.
public struct BlobReader {
  private let process: GitProcess
  private var answers: PipeReader
  private var blobs: ArraySlice<String>
  private let byteLimit: Int

  /// Reads objects in this order.
  ///
  /// - Parameter byteLimit: the longest object that is read.
  public init(
    _ blobs: [String], in repository: GitRepository, byteLimit: Int = .max
  ) throws(GitError) {
    (self.blobs, self.byteLimit) = (blobs[...], byteLimit)
    process = try repository.start(
      ["cat-file", "--batch", "--buffer"], input: Data(blobs.map { "\($0)\n" }.joined().utf8))
    answers = PipeReader(descriptor: process.outputDescriptor)
  }

  /// The content of the next object; nil when all have been read.
  ///
  /// - Throws: `GitError.missing` if the repository lacks the object; `.tooLarge` if it is longer
  ///   than the limit, and is skipped; `.noBlob`, which is skipped too; `.failed`.
  public mutating func next() throws(GitError) -> [UInt8]? {
    guard let blob = blobs.popFirst() else { return nil }
    guard let header = answers.line() else { throw process.failure() }
    // <id> SP <type> SP <size>, or <id> SP "missing".
    let words = header.split(separator: " ")
    guard words.count == 3, words[0] == blob, let size = Int(words[2]) else {
      throw words.last == "missing" ? .missing(object: blob) : .unexpected("the header '\(header)'")
    }
    let isBlob = words[1] == "blob"
    let content = isBlob && size <= byteLimit ? answers.bytes(size) : nil
    if content == nil { answers.skip(size) }
    // A line end follows each content.
    guard answers.bytes(1).count == 1 else { throw .failed(reason: process.errorText()) }
    guard isBlob else { throw .noBlob(blob, kind: String(words[1])) }
    guard let content else { throw .tooLarge(blob: blob, byteCount: size) }
    return content
  }
}

/// Reads lines and runs of bytes from a pipe. An error of the system counts as the end of the
/// input.
private struct PipeReader {
  private static let chunkByteCount = 65_536

  let descriptor: Int32
  private var buffer: ArraySlice<UInt8> = []

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// The next line without its line end; nil if no whole line follows.
  mutating func line() -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer = buffer[(end + 1)...] }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunkByteCount) { target, count in
        count = read(into: UnsafeMutableRawBufferPointer(target))
      }
      if chunk.isEmpty { return nil }
      buffer += chunk
    }
  }

  /// The next bytes; fewer only at the end of the input.
  ///
  /// Reads a long run straight into the result.
  mutating func bytes(_ count: Int) -> [UInt8] {
    let front = buffer.prefix(count)
    buffer = buffer.dropFirst(front.count)
    guard front.count < count else { return Array(front) }
    return [UInt8](unsafeUninitializedCapacity: count) { target, filled in
      let target = UnsafeMutableRawBufferPointer(target)
      target.copyBytes(from: front)
      filled = front.count
      while filled < count {
        let more = read(into: UnsafeMutableRawBufferPointer(rebasing: target[filled..<count]))
        if more == 0 { return }
        filled += more
      }
    }
  }

  /// Skips so many bytes, or all bytes if fewer follow.
  mutating func skip(_ count: Int) {
    var left = count
    while left > 0 {
      let skipped = bytes(min(left, Self.chunkByteCount)).count
      if skipped == 0 { return }
      left -= skipped
    }
  }

  /// Reads once; 0 at the end of the input.
  private func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = Foundation.read(descriptor, target.baseAddress, target.count)
      if count >= 0 || errno != EINTR { return max(0, count) }
    }
  }
}
