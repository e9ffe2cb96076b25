/// An event of a client's process, or an action of its user.
enum ClientDeed: String, CaseIterable, Sendable {
  case pause, resume, stop
  /// The process dies now, and starts again later.
  case crash
  /// The process dies after the next save, before it hears that the save succeeded.
  case crashAfterSave
  /// The process dies in the middle of the next save, if the copy is a file.
  case crashInSave
  /// The process dies, and part of its file is damaged.
  case crashWithDamage
  /// The next save fails.
  case saveFails

  static let usual: [ClientDeed] = [
    .pause, .resume, .resume, .resume, .stop, .crash, .crash, .crashAfterSave, .crashInSave,
    .crashInSave, .crashWithDamage, .crashWithDamage, .saveFails,
  ]
}
