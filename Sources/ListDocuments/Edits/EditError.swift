import ListModel

/// Why a text of edits was refused.
public enum EditError: Error, Equatable, Sendable {
  /// Thrown when the text is not JSON.
  case json(JSONError, at: TextPosition)
  /// Thrown when a line is no edit; the pointer leads into it.
  case malformed(JSONPointer, expected: String, at: TextPosition)
  /// Thrown when an item or an id is larger than a limit allows.
  case limit(ExceededLimit, at: TextPosition)

  public var position: TextPosition {
    switch self {
    case .json(_, let position), .malformed(_, _, let position), .limit(_, let position): position
    }
  }

  /// The limit at fault; nil where none is.
  public var exceeded: ExceededLimit? {
    switch self {
    case .json(let error, _): error.exceeded
    case .malformed: nil
    case .limit(let exceeded, _): exceeded
    }
  }

  /// The reason without the position.
  public var reason: String {
    switch self {
    case .json(let error, _): error.asReason
    case .malformed(let place, let expected, _):
      "\(place.tokens.isEmpty ? "the value" : place.description) is not \(expected)"
    case .limit(let exceeded, _): "\(exceeded)"
    }
  }
}

extension EditError: CustomStringConvertible {
  public var description: String { "\(position): \(reason)" }
}
