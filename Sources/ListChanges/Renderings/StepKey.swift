/// The members of one step or action in JSON, as `listsync delta --as` writes them too:
///
///     {"do":"move","from":3,"to":0}
enum StepKey: String, CodingKey {
  case action = "do"
  case from, to, element, old, new
}

extension KeyedEncodingContainer<StepKey> {
  mutating func encode(_ action: String, from: Int? = nil, to: Int? = nil) throws {
    try encode(action, forKey: .action)
    try encodeIfPresent(from, forKey: .from)
    try encodeIfPresent(to, forKey: .to)
  }
}
