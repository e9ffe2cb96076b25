import ListModel

extension BundleHeader {
  /// The line without its end.
  var line: [UInt8] {
    JSONWriter.object { writer in
      writer.member("format", BundleReader.format)
      writer.member("list", list.text)
      writer.member("kind", kind)
      writer.name("id_rule")
      writer.raw(idRule.flatMap(IDRule.init(text:))?.text ?? "null")
      writer.name("prerequisite")
      if case .prerequisite(let state) = start { writer.write(state) } else { writer.raw("null") }
      writer.name("base")
      if case .base(let record) = start { writer.write(base: record) } else { writer.raw("null") }
      writer.name("target")
      writer.write(target)
    }
  }

  private var kind: String {
    if case .prerequisite = start { "incremental" } else { "full" }
  }
}

extension BundleStep {
  /// The line without its end.
  var line: [UInt8] {
    JSONWriter.object { writer in
      writer.members(of: record)
      writer.members(of: changes)
    }
  }
}

extension BundleSummary {
  /// The last line without its end; the format fixes every byte of it.
  var line: [UInt8] {
    JSONWriter.object { writer in
      writer.member("lines", lineCount)
      writer.member("sha256", digest)
    }
  }
}

extension Item {
  /// The line without its end.
  var bundleLine: [UInt8] {
    var writer = JSONWriter()
    writer.change(of: id, content: content)
    return writer.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ state: BundleState) {
    object { writer in
      writer.member("cursor", state.cursor.description)
      writer.member("version", state.version.number)
      writer.member("count", state.count)
      writer.member("root", state.root.description)
      writer.member("chain", state.chain.hex)
    }
  }

  fileprivate mutating func write(base record: VersionRecord) {
    object { writer in
      writer.members(of: record)
      writer.member("changes", record.changes)
    }
  }

  fileprivate mutating func members(of record: VersionRecord) {
    member("version", record.version.number)
    member("committed_at", record.note.time.description)
    member("author", record.note.author)
    member("message", record.note.message)
    member("count", record.count)
    member("root", record.root.description)
    member("chain", record.chain.hex)
  }
}
