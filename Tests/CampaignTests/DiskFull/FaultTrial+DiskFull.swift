import FaultyFiles
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import Testing

extension FaultTrial {
  /// Runs the act on a disk that is full from one write on, then makes room and runs it again.
  ///
  /// - Returns: whether the act was refused.
  func runOnFullDisk(at number: Int) async throws -> Bool {
    let context = Comment(rawValue: "\(act.name), full at write \(number)")
    let subject = try subject()
    try await act.setUp(subject)
    subject.faults.plan = .diskFull(at: number)
    let error = await Self.error { try await act.run(subject) }
    #expect(error == nil || error as? StoreError == .diskFull, "\(context): \(error as Any)")
    #expect(subject.faults.plan?.failureCount ?? 0 > 0, context)
    // While the disk is full, the open store answers, and so does a store opened for reading.
    let expected = try await StoreAnswers(of: subject.service)
    if act.isOneTransaction {
      #expect(expected == (error == nil ? after : before).answers, context)
    }
    do {
      let reader = SyncService(store: try SQLiteStore(readingFrom: subject.path)) { TestStore.noon }
      #expect(try await StoreAnswers(of: reader) == expected, context)
    }
    #expect(try subject.strayNames() == [], context)
    let second = await Self.error {
      _ = try await subject.service.commit(.init(list: .parks, snapshot: .of("no room")))
    }
    #expect(second as? StoreError == .diskFull, context)
    subject.faults.plan = nil
    try await act.run(subject)
    #expect(try await StoreAnswers(of: subject.service) == after.answers, context)
    #expect(try await subject.service.verify(depth: .everything).faults == [], context)
    return error != nil
  }

  private static func error(_ body: () async throws -> Void) async -> (any Error)? {
    do {
      try await body()
      return nil
    } catch {
      return error
    }
  }
}
