extension String {
  /// The text for a message: at most its first 200 scalars. A million combining marks are one
  /// character.
  package var shortened: String {
    guard let end = unicodeScalars.index(startIndex, offsetBy: 200, limitedBy: endIndex),
      end < endIndex
    else { return self }
    return String(unicodeScalars[..<end]) + "…"
  }
}
