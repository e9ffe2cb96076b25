import ListModel

extension DocumentField {
  /// The root of a delta document of one kind.
  ///
  /// - Parameter contentDepth: how deep the contents of items lie in it.
  init(
    delta bytes: [UInt8], limits: Limits, contentDepth: Int, kind: String
  ) throws(DeltaError) {
    try self.init(delta: bytes, limits: limits, contentDepth: contentDepth)
    try read { root throws(Malformed) in try root["kind"].expect(kind) }
  }

  /// The root of a delta document of any kind.
  init(delta bytes: [UInt8], limits: Limits, contentDepth: Int) throws(DeltaError) {
    let content: [UInt8]
    do throws(JSONError) {
      var parser = JSONParser(bytes, limits: limits, envelopeDepth: contentDepth)
      parser.skipWhitespace()
      content = try parser.canonicalValue()
      try parser.expectEnd()
    } catch {
      throw .json(error, at: TextPosition(offset: error.offset, in: bytes))
    }
    self.init(Content(canonicalBytes: content), limits: limits)
    try read { root throws(Malformed) in try root["format"].expect(DeltaDocument.format) }
  }

  /// Reads what a delta document says.
  func read<Value>(
    _ body: (DocumentField) throws(Malformed) -> Value
  ) throws(DeltaError) -> Value {
    do throws(Malformed) {
      return try body(self)
    } catch {
      if let exceeded = error.exceeded { throw .limit(exceeded, at: error.place) }
      throw .malformed(at: error.place, expected: error.expected)
    }
  }
}
