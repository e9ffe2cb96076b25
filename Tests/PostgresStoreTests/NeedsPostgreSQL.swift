import PostgresTestSupport
import Testing

extension Trait where Self == ConditionTrait {
  /// Skips tests, and says so, where no server can be started.
  static var needsPostgreSQL: Self {
    .enabled(
      if: PostgresServer.isHere,
      "PostgreSQL is not on this machine: 'make test-postgres' installs it and runs these tests")
  }
}
