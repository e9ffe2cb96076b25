import Gzip
import LocalFiles
import Terminal

/// The output of a bundle: a file, compressed if its name ends in `.gz`, or standard output for
/// `-`.
struct BundleOutput {
  /// Nil for standard output.
  private let file: OutputFile?
  /// Nil without compression.
  private let compressor: GzipCompressor?

  init(_ path: String, replaces: Bool) throws {
    file = path == "-" ? nil : try OutputFile(path, replaces: replaces)
    compressor = path.lowercased().hasSuffix(".gz") ? GzipCompressor() : nil
  }

  func write(_ bytes: [UInt8]) throws { try put(compressor?.compress(bytes) ?? bytes) }

  func finish() throws {
    if let compressor { try put(compressor.finish()) }
    try file?.finish()
  }

  func abandon() { file?.abandon() }

  private func put(_ bytes: [UInt8]) throws {
    if bytes.isEmpty { return }
    if let file { try file.write(bytes) } else { try Output.write(bytes) }
  }
}
