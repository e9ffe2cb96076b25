/// An exact decimal number, digits × 10^exponent, without a spelling.
struct RandomNumber: Equatable {
  /// Neither first nor last digit is zero; empty for zero, which has no sign.
  let digits: String
  let isNegative: Bool
  let exponent: Int

  private init(digits: String, isNegative: Bool, exponent: Int) {
    self.digits = digits
    self.isNegative = !digits.isEmpty && isNegative
    self.exponent = digits.isEmpty ? 0 : exponent
  }

  init(using random: inout some RandomNumberGenerator) {
    var digits = ""
    if Int.random(in: 0..<20, using: &random) > 0 {
      let count = Int.random(in: 1...30, using: &random)
      digits = (0..<count).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
      digits = "\(Int.random(in: 1...9, using: &random))" + digits.drop { $0 == "0" }
      while digits.hasSuffix("0") { digits.removeLast() }
    }
    self.init(
      digits: digits, isNegative: .random(using: &random),
      exponent: .random(in: -40...40, using: &random))
  }

  /// The same number, or one that differs in a digit, the sign or the exponent.
  static func near(
    _ number: RandomNumber, using random: inout some RandomNumberGenerator
  ) -> RandomNumber {
    let (digits, exponent) = (number.digits, number.exponent)
    let isNegative = number.isNegative
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return number
    case 1: return RandomNumber(digits: digits, isNegative: !isNegative, exponent: exponent)
    case 2: return RandomNumber(digits: digits, isNegative: isNegative, exponent: exponent + 1)
    case 3: return RandomNumber(digits: digits + "1", isNegative: isNegative, exponent: exponent)
    default: return RandomNumber(digits: "1" + digits, isNegative: isNegative, exponent: exponent)
    }
  }

  /// A random JSON spelling: zeros added, the point and the exponent shifted.
  func spelling(using random: inout some RandomNumberGenerator) -> String {
    let zeros = String(repeating: "0", count: .random(in: 0...4, using: &random))
    let padded = digits + zeros
    let shift = Int.random(in: -8...(padded.count + 3), using: &random)
    // The point comes after `shift` of the padded digits.
    var whole = shift > 0 ? String(padded.prefix(shift)) : "0"
    var fraction = padded.dropFirst(max(0, shift))
    if shift > padded.count {
      whole += String(repeating: "0", count: shift - padded.count)
    } else if shift < 0 {
      fraction = String(repeating: "0", count: -shift) + fraction
    }
    if whole.allSatisfy({ $0 == "0" }) { whole = "0" }
    var text = isNegative || (digits.isEmpty && .random(using: &random)) ? "-" : ""
    text += whole + (fraction.isEmpty ? "" : "." + fraction)
    let power = digits.count + exponent - shift
    if power == 0, .random(using: &random) { return text }
    text += Bool.random(using: &random) ? "e" : "E"
    text += power < 0 ? "-" : Bool.random(using: &random) ? "+" : ""
    text += String(repeating: "0", count: .random(in: 0...2, using: &random))
    return text + String(power.magnitude)
  }
}
