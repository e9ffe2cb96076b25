import HTTPTypes

extension HTTPField.Name {
  static let accelBuffering = Self("X-Accel-Buffering")!
  static let contentSecurityPolicy = Self("Content-Security-Policy")!
  static let host = Self("Host")!
  static let link = Self("Link")!
  static let listIDRule = Self("List-Id-Rule")!
  static let referrerPolicy = Self("Referrer-Policy")!
  static let requestID = Self("X-Request-Id")!
  static let lastEventID = Self("Last-Event-ID")!
}
