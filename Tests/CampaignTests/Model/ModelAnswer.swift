import SyncService

/// The result of a call: a value or an error.
enum ModelAnswer<Value: Equatable & Sendable>: Equatable {
  case value(Value)
  case refusal(ServiceError)
  case failure(String)

  init(_ error: any Error) {
    switch error as? ServiceError {
    // Reasons are for people. Only the refused request and the version are compared.
    case .misfit(let list, _): self = .refusal(.misfit(list: list, reason: ""))
    case .brokenBundle(let list, let version, _):
      self = .refusal(.brokenBundle(list: list, version: version, reason: ""))
    case let refusal?: self = .refusal(refusal)
    case nil: self = .failure("\(error)")
    }
  }
}

/// An answer that differs from the twin's.
struct ModelDifference: Error, CustomStringConvertible {
  let call: String
  let found: String
  let expected: String

  var description: String {
    "\(call)\n  gave \(found.prefix(1_500))\n  for  \(expected.prefix(1_500))"
  }
}
