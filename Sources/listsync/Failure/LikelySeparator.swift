/// The separator that the header of a table suggests when the table has no column of the id.
enum LikelySeparator {
  /// The number of bytes of a header that are read. A page of HTML can be one line of any length.
  static let readByteCount = 4096

  /// Without the blank, since many names contain one.
  private static let common = Array(",;\t|^:~".utf8)
  private static let commonAlone = Array(";\t|^".utf8)

  /// The separator by which a column would have a cell with the field's name. If the header is a
  /// single column, also a common separator that it contains. Nil if there is none.
  ///
  /// - Parameter columns: the bytes of the columns' names.
  /// - Complexity: reads each of the first ``readByteCount`` bytes of the header at most twice for
  ///   each common separator.
  static func find(
    in columns: some Collection<some Collection<UInt8>>, field: some Collection<UInt8>
  ) -> UInt8? {
    var left = readByteCount
    for column in columns where left > 0 {
      let start = Array(column.prefix(left))
      left -= start.count
      for separator in common where start.contains(separator) {
        let cells = start.split(separator: separator)
        if cells.contains(where: { $0.elementsEqual(field) }) { return separator }
      }
    }
    guard columns.count == 1, let column = columns.first else { return nil }
    let start = Array(column.prefix(readByteCount))
    return commonAlone.first(where: start.contains)
  }
}
