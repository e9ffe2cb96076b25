import HTTPTypes
import Hummingbird
import ListDocuments
import ListModel
import ListStore
import SyncService

/// The caller of a request, and the caller's rights.
extension SyncServer {
  /// Whether every caller may see every answer, because there are no tokens.
  var isPublic: Bool { headCache.access.isEmpty }

  /// - Throws: `Problem` of type `unauthenticated` if a token is needed, or the one presented is
  ///   invalid.
  /// - Complexity: one query to the store for a token that the cache does not know.
  func caller(of request: Request, needing access: Route.Access) async throws(Problem) -> Caller {
    if access == .open { return .anyone }
    guard let header = request.headers[.authorization] else {
      if headCache.access.isEmpty { return .anyone }
      throw .unauthenticated("send a token: Authorization: Bearer …")
    }
    let words = header.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bearer" else {
      throw .unauthenticated("a token is sent as: Authorization: Bearer …")
    }
    let secret = String(words[1])
    if let caller = headCache.access.caller(presenting: secret) { return caller }
    // A token is valid from the moment when it was made, which the cache notices a little later.
    try? await headCache.refresh()
    if let caller = headCache.access.caller(presenting: secret) { return caller }
    throw .unauthenticated("the token is not one of this server, or was revoked")
  }

  /// Checks a caller again after a wait.
  ///
  /// - Throws: `Problem` of type `unauthenticated` if the token was revoked meanwhile, or the first
  ///   token was made and the caller has none.
  func checkStillAdmitted(_ caller: Caller) throws(Problem) {
    guard headCache.access.admits(caller) else { throw .revoked }
  }

  /// The service for a caller's commit, whose transaction checks the token in the store itself.
  ///
  /// A commit waits for its body and for earlier commits. That may be longer than the delay of the
  /// cache.
  func service(for caller: Caller) -> SyncService {
    service.guarded { reader in
      guard try reader.admits(caller) else { throw Problem.revoked }
    }
  }

  /// - Throws: `Problem` of type `busy` if the store's file was replaced: the old file is not the
  ///   state of the store any more.
  func checkStoreIsInPlace() throws(Problem) {
    if let error = headCache.failure as? StoreError, case .replaced = error { throw Problem(error) }
  }

  /// - Throws: `Problem` of type `not-found` for a list that the caller may not read, and for an
  ///   absent list that would be read; `forbidden` for a list that the caller may read but
  ///   not write; `gone` for a list that was dropped or renamed.
  func check(_ call: Call, for access: Route.Access) async throws(Problem) {
    guard access == .read || access == .write else { return }
    let list = try call.listName()
    guard call.caller.mayRead(list) else { throw .noSuchList(list.text) }
    guard access == .read || call.caller.mayWrite(list) else {
      throw Problem(kind: .forbidden, detail: "the token may read \(list), and not write it")
    }
    guard headCache.head(of: list) == nil else { return }
    // The cache may be a moment old, and another process may have begun the list. If the store
    // cannot be read, the cache's failure is told elsewhere.
    try? await headCache.refresh()
    if let former = headCache.retiredList(list) { throw gone(former, for: call.caller) }
    guard access == .write || headCache.failure != nil || headCache.head(of: list) != nil else {
      throw .noSuchList(list.text)
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
