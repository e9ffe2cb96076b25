/// The lines of the text form.
enum PrometheusText {
  /// A name with the characters that the form allows.
  static func name(_ text: String) -> String {
    String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" ? $0 : "_" })
  }

  /// - Parameter bound: of a bucket; nil for other lines.
  static func line(
    _ series: PrometheusRegistry.Series, suffix: String = "", bound: String? = nil, value: String,
    to text: inout String
  ) {
    var labels = series.labels.map { "\($0.name)=\"\(escaped($0.value))\"" }
    if let bound { labels.append("le=\"\(bound)\"") }
    text += series.name + suffix
    if !labels.isEmpty { text += "{\(labels.joined(separator: ","))}" }
    text += " \(value)\n"
  }

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
