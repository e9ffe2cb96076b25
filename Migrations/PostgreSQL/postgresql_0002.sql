-- ListSync's schema for PostgreSQL, version 2: the lists that changed last, so that a server reads only their heads
-- after a commit. A server that has not read for longer than the rows reach back reads the heads of all lists.

CREATE TABLE changed_lists (
  slot bigint NOT NULL,                         -- of the transaction's row in marks
  number bigint NOT NULL,                       -- the number in that row after the transaction
  list_id bigint NOT NULL,                      -- 0 for what belongs to no list: tokens and former names
  PRIMARY KEY (slot, number, list_id)
);
