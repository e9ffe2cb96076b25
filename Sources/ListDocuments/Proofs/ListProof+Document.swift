import ListModel

extension ListProof {
  /// The document as JSON text with a line end.
  public func encoded() -> [UInt8] {
    JSONWriter.object { writer in
      writer.member("format", Self.format)
      writer.member("list", list.text)
      writer.lineBreak()
      writer.object("item") { writer in
        writer.member("id", item.id.text)
        writer.member("index", index)
        writer.member("content", item.content)
      }
      writer.lineBreak()
      writer.array("path") { writer in
        for (level, step) in zip(1..., proof.path) {
          writer.lineBreak()
          writer.object { $0.members(of: step, level: level) }
        }
      }
      writer.lineBreak()
      writer.array("headers") { writer in
        for state in [state] + laterStates {
          writer.lineBreak()
          writer.object { $0.members(proving: state) }
        }
      }
    } + "\n".utf8
  }

  /// Reads a document; unknown members are ignored. The limits hold for its item and its id.
  ///
  /// - Throws: `ProofError.document`.
  public init(_ bytes: [UInt8], limits: Limits = .standard) throws(ProofError) {
    do throws(DeltaError) {
      let root = try DocumentField(
        delta: bytes, format: Self.format, limits: limits, contentDepth: 2)
      self = try root.read { root throws(DocumentField.Malformed) in try Self(root: root) }
    } catch {
      throw .document(error)
    }
  }

  private init(root: DocumentField) throws(DocumentField.Malformed) {
    list = try root["list"].listName()
    item = try root["item"].item()
    index = try root["item"]["index"].index()
    var path: [ItemProof.Step] = []
    _ = try root["path"].map { step throws(DocumentField.Malformed) in
      path.append(try step.proofStep(level: path.count + 1))
    }
    guard (1...Self.highestLevel).contains(path.count) else {
      throw root["path"].malformed("1 to \(Self.highestLevel) groups")
    }
    proof = ItemProof(path: path)
    let states = try root["headers"].map { header throws(DocumentField.Malformed) in
      let state = try header.withoutLimits.provenState()
      guard state.header != nil else { throw header.malformed("a version from 1") }
      return state
    }
    guard let first = states.first else { throw root["headers"].malformed("at least one header") }
    (state, laterStates) = (first, Array(states.dropFirst()))
  }

  /// More levels than any list can have.
  private static let highestLevel = 64
}

extension JSONWriter {
  fileprivate mutating func members(of step: ItemProof.Step, level: Int) {
    member("count", step.group.itemCount)
    member("position", step.position)
    hashes(of: step.group)
    if level == 1 { return }
    array(step.neighborsAreBefore ? "before" : "after") { writer in
      for group in step.neighbors {
        writer.object { writer in
          writer.member("count", group.itemCount)
          writer.hashes(of: group)
        }
      }
    }
  }

  private mutating func hashes(of group: ItemProof.Group) {
    array("hashes") { writer in for hash in group.hashes { writer.string(Root(hash).description) } }
  }
}

extension DocumentField {
  fileprivate func proofStep(level: Int) throws(Malformed) -> ItemProof.Step {
    var (neighbors, neighborsAreBefore): ([ItemProof.Group], Bool) = ([], true)
    if level > 1 {
      neighborsAreBefore = self["before"].ifPresent != nil
      guard neighborsAreBefore != (self["after"].ifPresent != nil) else {
        throw malformed("a group with 'before' or 'after', and not both")
      }
      neighbors = try self[neighborsAreBefore ? "before" : "after"]
        .map { field throws(Malformed) in try field.proofGroup() }
    }
    return ItemProof.Step(
      group: try proofGroup(), position: try self["position"].index(), neighbors: neighbors,
      neighborsAreBefore: neighborsAreBefore)
  }

  private func proofGroup() throws(Malformed) -> ItemProof.Group {
    let hashes = try self["hashes"].map { field throws(Malformed) in try field.root().hash }
    guard (1...RootNode.largestGroup).contains(hashes.count) else {
      throw self["hashes"].malformed("1 to \(RootNode.largestGroup) hashes")
    }
    return ItemProof.Group(itemCount: try self["count"].index(), hashes: hashes)
  }
}
