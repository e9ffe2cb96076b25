import ListModel

extension [VersionHeader] {
  /// Reads the headers of a server's list of versions: an array of proven states. Other members are
  /// ignored.
  ///
  /// - Throws: `DeltaError.json`, or `.malformed` with the place.
  public init(versions bytes: [UInt8], limits: Limits = .standard) throws(DeltaError) {
    let content: Content
    do throws(JSONError) {
      content = try Content(json: bytes, limits: limits, envelopeDepth: 2)
    } catch {
      throw .json(error, at: TextPosition(offset: error.offset, in: bytes))
    }
    self = try DocumentField(content, limits: limits).read { root throws(DocumentField.Malformed) in
      try root.map { version throws(DocumentField.Malformed) in
        guard let header = try version.withoutLimits.provenState().header else {
          throw version.malformed("a version from 1")
        }
        return header
      }
    }
  }
}
