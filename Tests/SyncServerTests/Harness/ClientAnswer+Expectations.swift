import Foundation
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

  /// The answer with the addresses in its headers as paths.
  ///
  /// Expects relative references, which lead to the same resource behind a proxy that serves the
  /// server below a path of its own.
  func resolvingAddresses(from target: String) -> ClientAnswer {
    func resolved(_ reference: String) -> String? {
      let paths = ["", "/below/it"].map { prefix in
        let base = URL(string: "http://host\(prefix)\(target)")
        let path = URL(string: reference, relativeTo: base)?.absoluteString.dropFirst(11)
        return path.flatMap { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : nil }
      }
      #expect(paths[0] == paths[1], "\(target): \(reference) leaves a prefix")
      return paths[0]
    }
    if let snapshot = problem == nil ? nil : try? json["snapshot"]?.text { _ = resolved(snapshot) }
    let headers = headers.map { header in
      switch header.name {
      case "Content-Location", "Location":
        Header(header.name, resolved(header.value) ?? "none")
      case "Link":
        Header(
          header.name,
          header.value.replacing(/<([^>]*)>/) { "<\(resolved(String($0.output.1)) ?? "none")>" })
      default: header
      }
    }
    return ClientAnswer(status: status, headers: headers, body: body)
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
