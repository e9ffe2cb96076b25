import SyncClient
import Testing

@testable import SyncClientHTTP

/// Lines of heads and pieces of bodies, as libcurl gives them.
struct ReceivedAnswerTests {
  private func response(
    _ lines: [String], body: [UInt8] = [], trailers: [String] = []
  ) throws -> ReplicaResponse {
    var answer = ReceivedAnswer(byteLimit: 100)
    for line in lines { try Array(line.utf8).withUnsafeBytes { try answer.receiveLine($0) } }
    if !body.isEmpty {
      let isWanted = try body.withUnsafeBytes { try answer.receiveBody($0) }
      #expect(isWanted)
    }
    for line in trailers { try Array(line.utf8).withUnsafeBytes { try answer.receiveLine($0) } }
    return try answer.response()
  }

  @Test func lastHeadCountsAndTrailersDoNot() throws {
    let response = try response(
      [
        "HTTP/1.1 103 Early Hints\r\n", "ETag: \"a\"\r\n", "\r\n", "HTTP/1.1 200 OK\r\n",
        "Content-Type:a/b\r\n", "X: 1 \r\n", "\t2\r\n", " \r\n", "x: 3\r\n", "nothing\r\n", "\r\n",
      ],
      body: [1, 2], trailers: ["X-Sum: 7\r\n", "\r\n"])
    #expect(response.status == 200 && response.body == [1, 2])
    #expect(response.headers.keys.sorted() == ["content-type", "x"])
    #expect(response.headers["content-type"] == "a/b")
    #expect(response.headers["x"] == "1 2")
  }

  @Test func headThatIsNotWholeIsCutOff() {
    for lines in [
      [], ["HTTP/1.1 200 OK\r\n"], ["HTTP/1.1 200 OK\r\n", "X: 1\r\n"],
      ["HTTP/1.1 100 Continue\r\n", "\r\n"],
    ] {
      #expect(throws: Unavailability.cutOff) { try response(lines) }
    }
    #expect(throws: Unavailability.network(reason: "the answer is not HTTP")) {
      try response(["HTTP/1.1 101 Switching Protocols\r\n", "\r\n"], body: [1])
    }
  }
}
