import Foundation
import ListModel

/// The source of a replica's list: a server, or the files of a publication.
public protocol ReplicaOrigin: Sendable {
  /// Answers a request once. Ends early when its task is cancelled.
  ///
  /// - Parameters:
  ///   - request: for the list of the replica.
  ///   - copy: the state that the answer is to continue; version 0 for the whole list.
  ///   - limits: for the list, its items and ids.
  func answer(
    to request: ReplicaRequest, from copy: ListState, limits: Limits
  ) async -> ReplicaAnswer

  /// Sends edits once. Ends early when its task is cancelled.
  func commit(_ request: ReplicaRequest) async -> EditAnswer

  /// Whether it is known that there is no server that takes edits.
  var isReadOnly: Bool { get async }
}

extension ReplicaOrigin {
  public func commit(_ request: ReplicaRequest) async -> EditAnswer {
    .refused(.readOnly, isMade: false)
  }

  public var isReadOnly: Bool { get async { true } }
}

/// A server, which answers each request itself.
struct ServerOrigin: ReplicaOrigin {
  let transport: any ReplicaTransport

  func answer(
    to request: ReplicaRequest, from copy: ListState, limits: Limits
  ) async -> ReplicaAnswer {
    do {
      return ReplicaAnswer(try await transport.send(request), to: request, limits: limits)
    } catch {
      return ReplicaAnswer(error)
    }
  }

  func commit(_ request: ReplicaRequest) async -> EditAnswer {
    do {
      return EditAnswer(try await transport.send(request), of: request.list)
    } catch {
      return EditAnswer(error)
    }
  }

  var isReadOnly: Bool { false }
}

extension ReplicaAnswer {
  /// The meaning of a try that brought no response.
  init(_ error: any Error) {
    switch error {
    case let error as ReplicaError: self = .refused(error)
    case let cause as Unavailability: self = .unavailable(cause)
    default: self = .unavailable(.network(reason: error.localizedDescription))
    }
  }
}
