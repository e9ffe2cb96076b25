import TestSupport
import Testing

extension ClientAnswer {
  /// Expects a refusal with all members that every refusal has.
  func expectProblem(
    _ kind: String, _ status: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(problem == kind, "\(text)", sourceLocation: sourceLocation)
    #expect(self.status == status, sourceLocation: sourceLocation)
    #expect(self["Cache-Control"] == "no-store", sourceLocation: sourceLocation)
    #expect(self["ETag"] == nil, sourceLocation: sourceLocation)
    let json = try json
    #expect(json["status"]?.number == Double(status), sourceLocation: sourceLocation)
    #expect(json["title"]?.text?.isEmpty == false, sourceLocation: sourceLocation)
    #expect(json["detail"]?.text?.isEmpty == false, sourceLocation: sourceLocation)
    #expect(json["request_id"]?.text == self["X-Request-Id"], sourceLocation: sourceLocation)
  }

  /// The cursor in the entity tag, without the tag's other parts.
  var tagCursor: String? {
    self["ETag"].map { tag in String(tag.dropFirst().prefix { $0 != "+" && $0 != "\"" }) }
  }

  /// The address of the next page in the header `Link`.
  var next: String? {
    guard let link = self["Link"], link.hasPrefix("<"), link.hasSuffix(">; rel=\"next\"") else {
      return nil
    }
    return String(link.dropFirst().dropLast(">; rel=\"next\"".count))
  }
}

extension ClientAnswer {
  func expect(status: Int, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(self.status == status, "\(text)", sourceLocation: sourceLocation)
  }
}
