import Foundation
import SyncClient
import Testing

@Suite struct ServerAddressTests {
  @Test func addressIsHTTPOrHTTPSWithAHostAndNoTrailingSlash() throws {
    #expect(try ServerAddress("https://lists.example/").text == "https://lists.example")
    #expect(try ServerAddress("http://[::1]:8080/a/b//").text == "http://[::1]:8080/a/b")
    #expect(try ServerAddress("http://h:65535/").text == "http://h:65535")
    let url = try ServerAddress("https://h/p").url(
      "/v1/lists/parks/delta?since=0-00000000000000000000000000000000")
    #expect(
      url.absoluteString
        == "https://h/p/v1/lists/parks/delta?since=0-00000000000000000000000000000000")
  }

  @Test(arguments: [
    "", "lists.example", "ftp://h", "https://", "https:///x", "file:///etc/passwd", "http://a b/",
    "http://h:0", "http://h:65536", "http://[::1]:70000/a", "http://h:99999999999999999999",
  ])
  func invalidAddressesAreRefused(text: String) {
    #expect(throws: ReplicaError.badAddress(text)) { try ServerAddress(text) }
  }

  @Test(arguments: [
    ("http://u:secret@h", "http://…@h"), ("u:secret@h", "…@h"), ("http://secret@", "http://…@"),
    ("http://h?token=secret", "http://h…"), ("http://h#secret", "http://h…"),
    ("http://u:sec@ret@h/x?secret", "http://…@h/x…"), ("ftp://u:secret@h", "ftp://…@h"),
  ])
  func errorOfAnAddressContainsNoSecret(text: String, quoted: String) {
    #expect(throws: ReplicaError.badAddress(quoted)) { try ServerAddress(text) }
  }
}
