import ListChanges
import ListDocuments
import ListModel
import TestSupport
import Testing

@testable import SyncClient

/// Two replicas that send the edits of one file, one event at a time, in any order.
@Suite struct SharedEditsTests {
  @Test func eachEditIsMadeOnce() throws {
    var random = SeededRandom.forThisRun()
    var seen: [String: Int] = [:]
    for _ in 0..<3000 {
      var life = SharedLife(seed: random.next())
      try life.run()
      try life.end()
      let has = life.server.history.map { Set($0.snapshot.items.map(\.id.text)) }
      for id in life.edits {
        let count = zip(has, has.dropFirst()).count { !$0.contains(id) && $1.contains(id) }
        #expect(
          life.unclear.contains(id) ? count >= 1 : count == 1,
          "\(id) was made \(count) times; seed \(life.seed)")
        let requestCount = life.made[id, default: []].count
        #expect(
          requestCount == 1 || life.unclear.contains(id),
          "\(id) was in \(requestCount) different requests; seed \(life.seed)")
      }
      seen.merge(life.seen) { $0 + $1 }
    }
    // Each answer was given, and the edits of a request had changed before its answer.
    for event in [
      "made", "conflicts", "tooOld", "unavailable", "lost", "late", "unclear", "overtaken",
    ] {
      #expect(seen[event, default: 0] > 0, "\(event), of \(seen)")
    }
  }

  /// The edits are refused to one replica, and then made for the other one's older request.
  ///
  /// - Parameter isLate: whether the other replica has brought the version before the answer.
  @Test(arguments: [false, true])
  func editsOfAnOlderRequestEndAlsoAfterALaterOneWasRefused(isLate: Bool) throws {
    var life = SharedLife(seed: 1)
    try life.edit(0, 1, shared: 5)
    try life.write(0)
    life.takeOver(1)
    try life.write(1)
    #expect(life.requests.count == 2)
    life.change(shared: 1001)
    try life.deliver(1, isLost: false)
    life.answer(1)
    try life.write(1)
    #expect(!life.queue.isSent && !life.queue.isEmpty)
    life.takeOver(0)
    // The conflict vanishes. Later the item changes again: edits that were not made would conflict.
    life.change(shared: 1000)
    try life.deliver(0, isLost: false)
    life.change(shared: 1001)
    let head = life.server.history.count - 1
    if isLate {
      try life.news(1, upTo: head)
      life.takeOver(0)
    }
    life.answer(0)
    if !isLate { try life.news(0, upTo: head - 2) }
    try life.news(0, upTo: head)
    while !life.replicas[0].writes.isEmpty { try life.write(0) }
    #expect(life.queue.isEmpty && life.requests.isEmpty)
    #expect(life.made["mine1"]?.count == 1)
  }

  /// A late answer is for the first edits; the file has others by then, which were sent as often.
  @Test func lateRefusalIsNotTakenForOtherEdits() throws {
    var life = SharedLife(seed: 1)
    try life.edit(0, 1)
    try life.write(0)
    life.takeOver(1)
    try life.write(1)
    try life.deliver(1, isLost: false)
    life.answer(1)
    try life.news(1, upTo: life.server.history.count - 1)
    #expect(life.queue.isEmpty)
    try life.edit(1, 2)
    try life.write(1)
    #expect(life.requests.map(\.replica) == [0, 1] && life.queue.tryCount == 1)
    let second = life.queue
    life.server.oldest = life.server.history.count - 1
    try life.deliver(0, isLost: false)
    life.answer(0)
    try life.write(0)
    #expect(life.queue.isSent && life.queue.first?.sent == second.first?.sent)
    try life.end()
    #expect(life.made["mine2"]?.count == 1)
  }
}

private struct SharedLife {
  struct Replica {
    var machine = EditMachine(list: ModelServer.list, retry: RetryRule())
    var copy = ListCopy.empty
    var revision = -1
    var writes: [EditMachine.Change] = []
    var timers: [Int] = []
    var answers: [(number: Int, edits: SentEdits?, EditAnswer)] = []
  }

  let seed: UInt64
  var server = ModelServer()
  /// The ids that were inserted.
  private(set) var edits: [String] = []
  /// Those that were sent as new ones, though the server may have had them, or may get them later.
  private(set) var unclear: Set<String> = []
  /// The different requests that the server has made, by the ids that they insert.
  private(set) var made: [String: Set<[UInt8]>] = [:]
  private(set) var seen: [String: Int] = [:]
  private var random: SeededRandom
  private var copy: ListCopy
  private(set) var queue = EditQueue.empty
  private var revision = 0
  private(set) var replicas = [Replica(), Replica()]
  /// Requests on their way, with the replica; nil if it was killed since.
  private(set) var requests: [(replica: Int?, request: ReplicaRequest)] = []

  init(seed: UInt64) {
    (self.seed, random) = (seed, SeededRandom(seed: seed))
    server.commit(["shared=1000", "a", "b"])
    copy = server.head
    for index in replicas.indices { start(index) }
  }

  private mutating func start(_ index: Int) {
    for position in requests.indices where requests[position].replica == index {
      requests[position].replica = nil
    }
    replicas[index] = Replica()
    takeOver(index)
    handle(index, .enable(true))
  }

  mutating func run() throws {
    for number in 0..<random.number(5...60) {
      let index = random.number(0...1)
      switch random.number(0...13) {
      case 0: try news(index, upTo: random.number(0...server.history.count - 1))
      case 1: try edit(index, number)
      case 2: change(number)
      case 3 where random.chance(4): start(index)
      case 4 where random.chance(2): server.oldest = server.history.count - 1
      case 5, 6: try write(index)
      case 7, 8, 9: try deliver(isLost: random.chance(4))
      case 10, 11: answer(index)
      case 12: fire(index)
      default: handle(index, .retry)
      }
    }
  }

  /// Lets all that was begun end, without further faults.
  mutating func end() throws {
    for _ in 0..<200 {
      for index in replicas.indices {
        while !replicas[index].writes.isEmpty { try write(index) }
        while !requests.isEmpty { try deliver(isLost: false) }
        while !replicas[index].answers.isEmpty { answer(index) }
        fire(index)
        try news(index, upTo: server.history.count - 1)
      }
      if queue.isEmpty { return }
      try decide()
    }
    Issue.record("edits are not sent: \(replicas.map(\.machine.state)); seed \(seed)")
  }

  /// Decides for refused edits when nothing is on its way.
  private mutating func decide() throws {
    let isQuiet =
      requests.isEmpty && replicas.allSatisfy { $0.writes.isEmpty && $0.answers.isEmpty }
    guard isQuiet, case .refused(let refusal) = replicas[0].machine.state else { return }
    takeOver(0)
    guard case .refused = replicas[0].machine.state else { return }
    if refusal == .unknownOutcome {
      count("unclear")
      unclear.formUnion(edits)
    } else {
      let reported = queue.shownChanges?.inserted.map(\.element.id.text) ?? []
      #expect(
        reported.allSatisfy { made[$0] == nil || unclear.contains($0) },
        "\(reported) are made and refused; seed \(seed)")
    }
    let side: MergeSide = random.chance(2) ? .mine : .theirs
    try save(0, queue.resolved(preferring: side, over: copy), .user)
  }

  private mutating func change(_ number: Int) {
    var items = server.head.snapshot.changed(
      random.number(1...2), new: "v\(number)", using: &random
    ).items
    // A conflict may vanish again.
    if let index = items.firstIndex(where: { $0.id.text == "shared" }), random.chance(2) {
      items[index] = ModelServer.item("shared=\(1000 + random.number(0...1))")
    } else if !items.contains(where: { $0.id.text == "shared" }) {
      items.append(ModelServer.item("shared=1000"))
    }
    let new = Snapshot(uniqueItems: items)
    if new != server.head.snapshot { server.commit(new) }
  }

  mutating func change(shared value: Int) {
    let items = server.head.snapshot.items.map { item in
      item.id.text == "shared" ? ModelServer.item("shared=\(value)") : item
    }
    server.commit(Snapshot(uniqueItems: items))
  }

  /// - Parameter value: the new value of the shared item; nil to change it by chance.
  mutating func edit(_ index: Int, _ number: Int, shared value: Int? = nil) throws {
    takeOver(index)
    let shown = try ShownCopy(copy: copy, stepCount: 0, edits: queue.shownChanges).items
    var items = shown
    if let shared = items.firstIndex(where: { $0.id.text == "shared" }),
      value != nil || random.chance(3)
    {
      items[shared] = ModelServer.item("shared=\(value ?? number)")
    }
    items.insert(ModelServer.item("mine\(number)"), at: random.number(0...items.count))
    edits.append("mine\(number)")
    let edit = Snapshot(uniqueItems: shown).changes(to: Snapshot(uniqueItems: items))
    try save(index, queue.editing(edit, over: copy), .user)
  }

  mutating func news(_ index: Int, upTo version: Int) throws {
    takeOver(index)
    guard version > copy.cursor.version.number else { return }
    let step = ReplicaStep(from: copy, to: server.history[version])
    let queue = try replicas[index].machine.queue(after: step)
    copy = step.after
    try save(index, queue, .step(hasDiverged: false))
  }

  mutating func write(_ index: Int) throws {
    guard !replicas[index].writes.isEmpty else { return }
    takeOver(index)
    let change = replicas[index].writes.removeFirst()
    try save(index, queue.applying(change, over: copy), .own)
  }

  private mutating func save(_ index: Int, _ queue: EditQueue, _ write: EditMachine.Write) throws {
    if self.queue != queue || replicas[index].copy != copy { revision += 1 }
    self.queue = queue
    (replicas[index].copy, replicas[index].revision) = (copy, revision)
    handle(index, .saved(queue, over: copy.cursor, write))
  }

  /// Takes over what the other replica has written.
  mutating func takeOver(_ index: Int) {
    guard replicas[index].revision != revision else { return }
    let isOfOthers = replicas[index].copy != copy
    (replicas[index].copy, replicas[index].revision) = (copy, revision)
    handle(index, .saved(queue, over: copy.cursor, isOfOthers ? .others : .user))
  }

  /// Brings a request to the server, and an answer or nothing back.
  ///
  /// - Parameter position: that of the request; nil for any.
  mutating func deliver(_ position: Int? = nil, isLost: Bool) throws {
    guard !requests.isEmpty else { return }
    let position = position ?? random.number(0...requests.count - 1)
    let (index, request) = requests.remove(at: position)
    var answer = EditAnswer.unavailable(.network(reason: "lost"))
    // A request may be lost as well as its answer.
    if !isLost || random.chance(2) {
      let answered = EditAnswer(try server.commit(request), of: ModelServer.list)
      let body = request.body ?? []
      let ids = try ChangesToCommit(body).changes.inserted.map(\.item.id.text)
      if case .made = answered { for id in ids { made[id, default: []].insert(body) } }
      // The edits can be decided before the server makes what it has refused here.
      if case .conflicts = answered, requests.contains(where: { $0.request.body == body }) {
        count("overtaken")
        unclear.formUnion(ids)
      }
      if isLost { count("lost") } else { answer = answered }
    }
    guard let index else { return }
    replicas[index].answers.append((request.number, queue.first?.sent, answer))
  }

  mutating func answer(_ index: Int) {
    guard !replicas[index].answers.isEmpty else { return }
    let (number, edits, answer) = replicas[index].answers.removeFirst()
    count(String("\(answer)".prefix { $0.isLetter }))
    if queue.first?.sent != edits { count("late") }
    handle(index, .answered(number, answer, random: 0.5))
  }

  private mutating func fire(_ index: Int) {
    let timers = replicas[index].timers
    replicas[index].timers = []
    for timer in timers { handle(index, .timerFired(timer)) }
  }

  mutating func handle(_ index: Int, _ event: EditMachine.Event) {
    for effect in replicas[index].machine.handle(event) {
      switch effect {
      case .write(let change): replicas[index].writes.append(change)
      case .send(let request): requests.append((index, request))
      case .setTimer(let number, _): replicas[index].timers.append(number)
      case .cancel, .cancelTimer, .catchUp: break
      }
    }
  }

  private mutating func count(_ event: String) { seen[event, default: 0] += 1 }
}
