/// One step or action as JSON has it: a verb, the indexes and, in `Encodable`, the elements.
///
///     {"do":"move","from":3,"to":0}
///
/// Steps without elements use `StepRecord<Int>`: `Never` is not `Encodable` on all systems.
package struct StepRecord<Element> {
  package let action: String
  package var from: Int?
  package var to: Int?
  var element: Element?
  var old: Element?
  var new: Element?
}

extension StepRecord: Encodable where Element: Encodable {
  private enum CodingKeys: String, CodingKey {
    case action = "do"
    case from, to, element, old, new
  }
}
