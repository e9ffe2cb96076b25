/// What happens to a client's process, or what its user does.
enum ClientDeed: String, CaseIterable, Sendable {
  case pause, resume, stop
  /// The process dies at this moment, and starts again later.
  case crash
  /// … when the next save was made, before it was told.
  case crashAfterSave
  /// … in the middle of the next save; where the copy is a file.
  case crashInSave
  /// … and some of its file is not what it was.
  case crashWithDamage
  /// The next save fails.
  case saveFails

  static let usual: [ClientDeed] = [
    .pause, .resume, .resume, .resume, .stop, .crash, .crash, .crashAfterSave, .crashInSave,
    .crashInSave, .crashWithDamage, .crashWithDamage, .saveFails,
  ]
}
