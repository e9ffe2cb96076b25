import PostgresTestSupport
import Testing

extension Trait where Self == ConditionTrait {
  /// Skips tests, and says so, where no server can be started.
  static var needsPostgreSQL: Self {
    .enabled(
      if: PostgresServer.isHere,
      "PostgreSQL is not on this machine: 'make test-postgres' installs it and runs these tests")
  }

  /// Skips tests, and says so, unless the stores of the tests are distributed.
  static var needsCitus: Self {
    .enabled(
      if: CitusCluster.isUsed,
      "'make test-citus' runs these tests, where PostgreSQL has the extension Citus")
  }

  /// Skips tests of one server where the stores of the tests are distributed.
  static var onOneServer: Self {
    .enabled(if: !CitusCluster.isUsed, "it is a test of a store on one server")
  }
}
