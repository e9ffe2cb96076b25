import ArgumentParser
import ListModel
import SyncService
import Terminal

/// How a list is dropped or renamed.
struct DepartureOptions: ParsableArguments {
  @Option(help: "Who does it, for the record.") var author: String?
  @Option(
    help: ArgumentHelp("Do it only if this is still the newest version.", valueName: "cursor"),
    transform: CommitRequest.Expectation.init(argument:))
  var expect: CommitRequest.Expectation?

  func request(for list: ListName) -> DepartureRequest {
    var request = DepartureRequest(list: list)
    (request.author, request.expected) = (author, expect)
    return request
  }
}
