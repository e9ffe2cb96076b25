-- ListSync's schema for PostgreSQL, version 3: a list finds its items by their ids in a table of its own, and no longer
-- by an index, which a first commit filled in random order. The program fills the table of each list when it upgrades.

DROP INDEX changes_by_id;

CREATE TABLE id_parts (
  list_id bigint NOT NULL,
  last_prefix bigint NOT NULL,                  -- the highest 32 bits of a hash that the part may hold
  data bytea NOT NULL,                          -- hashes of ids, and the items that have them: IDPart says how
  digest integer NOT NULL,
  PRIMARY KEY (list_id, last_prefix)
);

-- A program of an older version that is still running leaves this number behind next_change when it commits; the next
-- commit then fills the table again.
ALTER TABLE lists ADD COLUMN next_indexed bigint NOT NULL DEFAULT 0; -- the first row whose id is not in id_parts
