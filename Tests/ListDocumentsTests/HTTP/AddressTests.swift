import Foundation
import ListDocuments
import Testing

@Suite struct AddressTests {
  @Test(
    arguments: [
      ("/v1/lists", "/v1/lists?after=a", "lists?after=a"),
      ("/v1/lists/parks", "/v1/lists/parks", "parks"),
      ("/v1/lists/parks", "/v1/lists/parks/versions/7-ab", "parks/versions/7-ab"),
      ("/v1/lists/parks/delta", "/v1/lists/parks/delta?since=1", "delta?since=1"),
      ("/v1/lists/parks/versions/7", "/v1/lists/parks/versions/7-ab", "7-ab"),
      ("/v1/lists/parks/items/a%2Fb", "/v1/lists/parks", "../../parks"),
      (
        "/v1/lists/parks/items/a/history", "/v1/lists/parks/history?item=a", "../../history?item=a"
      ),
      ("/v1/lists/%70arks/delta", "/v1/lists/parks/delta?since=1", "../parks/delta?since=1"),
    ])
  func relativeReferenceLeadsToTheAddressBelowEveryPrefix(
    path: String, address: String, expected: String
  ) {
    let reference = Address.relative(address, from: path)
    #expect(reference == expected)
    for prefix in ["", "/a", "/a/b"] {
      let base = URL(string: "http://host\(prefix)\(path)?since=1/2")
      let found = URL(string: reference, relativeTo: base)?.absoluteString
      #expect(found == "http://host\(prefix)\(address)")
    }
  }
}
