import ListModel
import StoreTestSupport
import Synchronization
import Testing

/// A clock that a test sets.
final class TestClock: Sendable {
  private let milliseconds: Mutex<Int64>

  init(_ milliseconds: Int64 = TestStore.noon.millisecondsSince1970) {
    self.milliseconds = Mutex(milliseconds)
  }

  func set(_ milliseconds: Int64) { self.milliseconds.withLock { $0 = milliseconds } }

  var now: Timestamp {
    Timestamp(millisecondsSince1970: milliseconds.withLock { $0 })
  }
}

extension Int64 {
  static let second: Int64 = 1000
  static let day: Int64 = 86_400_000
  static let year: Int64 = 365 * day
}

/// A fault of a clock: the millisecond that it gives at each commit.
enum ClockFault: CaseIterable, CustomTestStringConvertible {
  case backAYear, forwardTenYears, forwardAndBack, standingStill, past2038, pastYear9999
  case beforeYear1, extremes, before1970, equalPairs

  func milliseconds(at step: Int, of count: Int) -> Int64 {
    let noon = TestStore.noon.millisecondsSince1970
    let steady = Int64(step) * .second
    let isLate = step >= count / 2
    let isMiddle = isLate && step < count * 3 / 4
    switch self {
    case .backAYear: return noon + steady - (isLate ? .year : 0)
    case .forwardTenYears: return noon + steady + (isLate ? 10 * .year : 0)
    case .forwardAndBack: return noon + steady + (isMiddle ? 10 * .year : 0)
    case .standingStill: return noon
    // The second 2^31 comes in the middle.
    case .past2038: return 2_147_483_648_000 + steady - Int64(count / 2) * .second
    case .pastYear9999:
      return Timestamp.millisecondRange.upperBound + steady - Int64(count / 2) * .second
    case .beforeYear1:
      return Timestamp.millisecondRange.lowerBound - steady + Int64(count / 2) * .second
    case .extremes: return [.max, .min, 0, -1, .min + 1, .max - 1][step % 6]
    case .before1970: return -2 * .year + steady * 100_000
    case .equalPairs: return noon + Int64(step / 2) * .second
    }
  }

  var testDescription: String { "\(self)" }
}
