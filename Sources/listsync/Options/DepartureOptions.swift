import ArgumentParser
import ListModel
import SyncService
import Terminal

/// How a list is dropped or renamed.
struct DepartureOptions: ParsableArguments {
  @Option(help: "Who does it, for the record.") var author: String?
  @Option(
    help: ArgumentHelp("Do it only if this is still the newest version.", valueName: "cursor"),
    transform: Revision.init(expected:))
  var expect: Revision?

  func request(for list: ListName) -> DepartureRequest {
    var request = DepartureRequest(list: list)
    (request.author, request.expected) = (author, [expect].compactMap(\.self))
    return request
  }
}
