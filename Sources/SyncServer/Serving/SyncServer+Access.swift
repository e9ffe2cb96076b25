import HTTPTypes
import Hummingbird
import ListModel
import SyncService

/// Who asks, and whether they may.
extension SyncServer {
  /// - Throws: `Problem` of type `unauthenticated` when a token is needed, or the one presented is none.
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

  /// For those who were let in a while ago.
  ///
  /// - Throws: `Problem` of type `unauthenticated` when their token was revoked meanwhile, or the first
  ///   token was made and they have none.
  func checkStillAdmitted(_ caller: Caller) throws(Problem) {
    guard board.access.admits(caller) else {
      throw .unauthenticated("the token was revoked, or is needed now")
    }
  }

  /// - Throws: `Problem` of type `not-found` for a list that the caller may not read, as if it were not
  ///   there; `forbidden` for one that they may read and not write.
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
  fileprivate static func unauthenticated(_ detail: String) -> Problem {
    Problem(
      kind: .unauthenticated, detail: detail,
      headers: [.wwwAuthenticate: "Bearer realm=\"listsync\""])
  }
}
