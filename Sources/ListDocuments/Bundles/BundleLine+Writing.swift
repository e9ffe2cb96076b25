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
      if case .prerequisite(let state) = start {
        writer.object { $0.members(proving: state) }
      } else {
        writer.raw("null")
      }
      writer.name("base")
      if case .base(let record) = start {
        writer.object { $0.members(of: record) }
      } else {
        writer.raw("null")
      }
      writer.object("target") { $0.members(proving: target) }
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
      writer.members(of: record.state, note: record.note)
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
