import HTTPTypes
import Hummingbird
import ListDocuments
import ListModel
import ListStore
import SyncService

/// Who asks, and whether they may.
extension SyncServer {
  /// - Throws: `Problem` of type `unauthenticated` when a token is needed, or the one presented is
  ///   none.
  func caller(of request: Request, needing access: Route.Access) throws(Problem) -> Caller {
    if case .open = access { return .anyone }
    let list = board.access
    guard let header = request.headers[.authorization] else {
      if list.isEmpty { return .anyone }
      throw .unauthenticated("send a token: Authorization: Bearer …")
    }
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else {
      throw .unauthenticated("the token comes as: Authorization: Bearer …")
    }
    if let caller = list.caller(presenting: String(parts[1])) { return caller }
    throw .unauthenticated("the token is not one of this server, or was revoked")
  }

  /// Asks again for a token after a wait.
  ///
  /// - Throws: `Problem` of type `unauthenticated` when the token was revoked meanwhile, or the
  ///   first token was made and the caller has none.
  func checkStillAdmitted(_ caller: Caller) throws(Problem) {
    guard board.access.admits(caller) else { throw .revoked }
  }

  /// The service whose writes ask the store itself for the caller's token: a commit waits for its
  /// body, and for those before it, for longer than the board may be late.
  func service(for caller: Caller) -> SyncService {
    service.guarded { reader in
      guard AccessList(try reader.tokens()).admits(caller) else { throw Problem.revoked }
    }
  }

  /// - Throws: `Problem` of type `busy` when the store's file was replaced: what is read from the
  ///   old one is not the state of the store any more.
  func checkStoreIsInPlace() throws(Problem) {
    if let error = board.failure as? StoreError, case .replaced = error { throw Problem(error) }
  }

  /// - Throws: `Problem` of type `not-found` for a list that the caller may not read, as if it were
  ///   not there; `forbidden` for one that they may read and not write.
  func check(_ call: Call, for access: Route.Access) throws(Problem) {
    switch access {
    case .open, .anyone: return
    case .read:
      let list = try call.listName()
      guard call.caller.mayRead(list) else { throw .noSuchList(list.text) }
    case .write:
      let list = try call.listName()
      guard call.caller.mayRead(list) else { throw .noSuchList(list.text) }
      guard call.caller.mayWrite(list) else {
        throw Problem(kind: .forbidden, detail: "the token may read \(list), and not write it")
      }
    }
  }
}

extension Problem {
  fileprivate static var revoked: Problem {
    .unauthenticated("the token was revoked, or is needed now")
  }

  fileprivate static func unauthenticated(_ detail: String) -> Problem {
    Problem(
      kind: .unauthenticated, detail: detail,
      headers: [.wwwAuthenticate: "Bearer realm=\"listsync\""])
  }
}
