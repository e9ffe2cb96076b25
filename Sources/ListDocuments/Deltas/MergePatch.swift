import ListModel

/// JSON Merge Patch (RFC 7396), which names only the members that differ.
extension Content {
  /// The patch that leads from this object to another; nil where no patch does: one of them is no
  /// object, or the other has a new null, since a null of a patch removes the member.
  ///
  /// - Complexity: O(bytes of both contents) for a bounded depth.
  public func mergePatch(to new: Content) -> Content? {
    let changes = memberChanges(to: new)
    guard ContentView(self).kind == .object, ContentView(new).kind == .object,
      changes.allSatisfy({ $0.new.map { ContentView($0).isKeptByMerging } ?? true })
    else { return nil }
    var writer = JSONWriter()
    writer.mergePatch(of: changes[...], depth: 0)
    return Content(canonicalBytes: writer.bytes)
  }

  /// The content after a patch. A patch that is no object is the new content.
  ///
  /// - Complexity: O(bytes of both) for a bounded depth.
  public func merging(_ patch: Content) -> Content {
    var writer = JSONWriter()
    writer.merge(ContentView(patch), into: ContentView(self))
    return Content(canonicalBytes: writer.bytes)
  }
}

extension ContentView {
  /// Whether a patch sets this value as it is: neither it nor a member of it is null. Arrays are
  /// set as a whole.
  fileprivate var isKeptByMerging: Bool {
    switch kind {
    case .null: false
    case .object: members.allSatisfy(\.value.isKeptByMerging)
    case .array, .string, .number, .boolean: true
    }
  }
}

extension JSONWriter {
  /// Writes the object of the changes whose paths are equal up to a depth.
  fileprivate mutating func mergePatch(of changes: ArraySlice<MemberChange>, depth: Int) {
    object { writer in
      var rest = changes
      while let first = rest.first {
        let name = first.path.tokens[depth]
        let group = rest.prefix { $0.path.tokens[depth].utf8.elementsEqual(name.utf8) }
        rest = rest.dropFirst(group.count)
        writer.name(name)
        if first.path.tokens.count > depth + 1 {
          writer.mergePatch(of: group, depth: depth + 1)
        } else if let new = first.new {
          writer.content(new)
        } else {
          writer.raw("null")
        }
      }
    }
  }

  /// Writes a value after a patch; `old` is nil where there is none.
  fileprivate mutating func merge(_ patch: ContentView, into old: ContentView?) {
    guard patch.kind == .object else { return content(patch.content) }
    object { writer in
      for (name, old, patch) in ContentView.pairs(of: old?.members ?? [], patch.members) {
        if let patch, patch.kind != .null {
          writer.name(name)
          writer.merge(patch, into: old)
        } else if patch == nil, let old {
          writer.member(name, old.content)
        }
      }
    }
  }
}
