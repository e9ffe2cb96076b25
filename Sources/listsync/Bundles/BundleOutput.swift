import Gzip

/// The output of a bundle, which is compressed if its name ends in `.gz`.
struct BundleOutput {
  private let output: VerbOutput
  /// Nil without compression.
  private let compressor: GzipCompressor?

  init(_ path: String, replaces: Bool) throws {
    output = try VerbOutput(path, replaces: replaces)
    compressor = path.lowercased().hasSuffix(".gz") ? GzipCompressor() : nil
  }

  func write(_ bytes: [UInt8]) throws { try output.write(compressor?.compress(bytes) ?? bytes) }

  func finish() throws {
    if let compressor { try output.write(compressor.finish()) }
    try output.finish()
  }
}
