import Foundation
import SyncClient
import TestSupport

/// An answer that is altered in one way.
struct Lie: Sendable, CustomStringConvertible {
  enum Kind: String, CaseIterable, Sendable {
    case statusLine = "status lines"
    case field = "header fields"
    case chunking = "chunks"
    case packing = "packings"
    case member = "members"
    case byte = "bytes"
    case cut = "cuts"
    case hang = "hangs"
    case slow = "slow ones"
    case endless = "endless ones"
    case other = "other answers"
  }

  let kind: Kind
  let steps: [LoopbackServer.Step]
  let description: String

  /// Kinds that take time are rare.
  private static let usual: [Kind] =
    [.statusLine, .field, .chunking, .packing, .member, .member, .byte, .byte, .cut, .other]
    .flatMap { [$0, $0, $0, $0] } + [.hang, .slow, .endless]

  init(
    about answer: ReplicaResponse, among others: [ReplicaResponse], _ random: inout SeededRandom
  ) {
    let kind = random.element(of: Self.usual)
    var frame = WireFrame(answer)
    if random.chance(3) { frame.framing = random.element(of: [.chunks, .end]) }
    frame.chunkByteCount = random.number(1...300)
    if random.chance(3), !frame.body.isEmpty { frame.pack() }
    frame.keepsOpen = random.chance(2)
    self.kind = kind
    (steps, description) = Self.bend(&frame, kind, among: others, &random)
  }

  private static func bend(
    _ frame: inout WireFrame, _ kind: Kind, among others: [ReplicaResponse],
    _ random: inout SeededRandom
  ) -> ([LoopbackServer.Step], String) {
    switch kind {
    case .statusLine:
      frame.statusLine = random.element(of: LieWords.statusLines)
      return (frame.steps, frame.statusLine.prefix(40).description)
    case .field:
      let field = random.element(of: LieWords.fields)
      if random.chance(2) { frame.fields.removeAll { $0.name == field.name.lowercased() } }
      frame.fields.insert(field, at: random.number(0...frame.fields.count))
      if random.chance(2) { frame.framing = .end }
      return (frame.steps, "\(field.name): \(field.value.prefix(40))")
    case .chunking:
      let (text, name) = LieWords.chunks(random.element(of: LieWords.chunkSizes), frame.body)
      frame.framing = .end
      frame.fields.append(("Transfer-Encoding", "chunked"))
      frame.body = text
      return (frame.steps, "chunk \(name)")
    case .packing:
      frame.fields.removeAll { $0.name == "Content-Encoding" }
      frame.fields.append(("Content-Encoding", "gzip"))
      frame.body = LieWords.packed(frame.body, &random)
      return (frame.steps, "packed")
    case .member:
      frame = WireFrame(ReplicaResponse(status: 200, body: frame.body))
      let (body, name) = LieWords.member(frame.body, &random)
      frame.body = body
      return (frame.steps, "member \(name)")
    case .other:
      frame = WireFrame(random.element(of: others))
      return (frame.steps, "another's")
    case .byte, .cut, .hang, .slow, .endless: return bendWire(frame, kind, &random)
    }
  }

  /// Alters the bytes of a right answer.
  private static func bendWire(
    _ frame: WireFrame, _ kind: Kind, _ random: inout SeededRandom
  ) -> ([LoopbackServer.Step], String) {
    var (bytes, headEnd) = frame.bytes
    // The head is altered as often as the longer body.
    let place =
      random.chance(2) ? random.number(0...headEnd - 1) : random.number(0...bytes.count - 1)
    let end = frame.steps.dropFirst()
    switch kind {
    case .byte:
      switch random.number(1...4) {
      case 1: bytes[place] = UInt8(random.number(0...255))
      case 2: bytes[place] ^= UInt8(1 << random.number(0...7))
      case 3: bytes.remove(at: place)
      default: bytes.insert(contentsOf: bytes[place...].prefix(random.number(1...40)), at: place)
      }
      // A client would wait for a missing byte, so end the connection.
      return ([.send(bytes)] + (bytes.count < frame.bytes.all.count ? [] : end), "byte \(place)")
    case .cut: return ([.send(Array(bytes.prefix(place)))], "cut at \(place)")
    case .hang: return ([.send(Array(bytes.prefix(place))), .awaitEnd], "hangs at \(place)")
    case .slow:
      let drops = bytes[place...].prefix(100).flatMap { byte in
        [LoopbackServer.Step.send([byte]), .pause(seconds: 0.03)]
      }
      return ([.send(Array(bytes.prefix(place)))] + drops, "slow at \(place)")
    default:
      let part = Array(bytes[place...].prefix(random.number(1...2000)))
      return ([.send(Array(bytes.prefix(place))), .sendForever(part)], "endless at \(place)")
    }
  }
}
