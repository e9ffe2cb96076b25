-- ListSync's schema for PostgreSQL, version 1. It has the tables of SQLite's, with the same meaning and the same digests.
--
-- Everything of a list is keyed by the list, so that the tables can be distributed by it. Texts are bytes in UTF-8: they
-- are compared as bytes whatever the database's collation is, and may contain U+0000.
--
-- Each statement ends at the end of a line, since statements are run one by one.

CREATE TABLE store (
  application text PRIMARY KEY,                 -- 'ListSync 2'
  schema integer NOT NULL
);

-- Counts the transactions that wrote, and says which lists the last ones changed, so that a server reads only their heads.
-- A server that has not read for longer than the record reaches back reads the heads of all lists.
CREATE TABLE marks (
  bucket bigint NOT NULL,                       -- 0; in a distributed store, that of the list: see buckets
  slot bigint NOT NULL,                         -- one of 32 from the bucket's number on, so that writers seldom meet
  number bigint NOT NULL,                       -- how many transactions took the slot
  changed bytea NOT NULL,                       -- what the newest ones changed: ChangeRecord says how
  PRIMARY KEY (bucket, slot)
) WITH (fillfactor = 50);

-- Empty, unless the tables are distributed over machines: then one row for each group of shards. A bucket is a number that
-- lies in the same shard as the lists whose numbers have these hashes.
CREATE TABLE buckets (
  bucket bigint PRIMARY KEY,
  lowest_hash bigint NOT NULL,
  highest_hash bigint NOT NULL
);

CREATE TABLE names (                            -- the directory
  name bytea PRIMARY KEY,
  list_id bigint NOT NULL,
  digest integer NOT NULL
);

CREATE TABLE lists (
  list_id bigint PRIMARY KEY,                   -- never given again: the row of a dropped list stays
  name bytea,                                   -- null for a dropped list; not in names while its first version is stored
  head bigint NOT NULL CHECK (head >= 0),       -- the newest version; 0 before the first
  oldest bigint NOT NULL CHECK (oldest >= 1),   -- the first version that is still kept
  id_rule bytea,                                -- how ids are found in its snapshot files, JSON
  title_path bytea,                             -- the member that is the title of its items, a JSON pointer
  next_change bigint NOT NULL,                  -- the number of the change to come
  id_digests bigint NOT NULL,                   -- the sum of the digests of its rows of id_parts
  chain_before bytea CHECK (length(chain_before) = 32), -- of the version before the oldest; null for version 0
  merge_count bigint NOT NULL,                  -- how often segments were replaced by others than commits
  max_removed bytea,                            -- how many items a snapshot or delta may remove: 20 or 20%; null: all
  max_updated bytea,                            -- how many it may update, likewise
  digest integer NOT NULL
);

CREATE TABLE versions (
  list_id bigint NOT NULL,
  version bigint NOT NULL CHECK (version >= 1),
  first_change bigint NOT NULL,                 -- its changes: from this number to that of the next version
  committed_at bigint NOT NULL,                 -- milliseconds since 1970, UTC
  author bytea,
  message bytea,
  item_count bigint NOT NULL CHECK (item_count >= 0),
  removed bigint NOT NULL,
  moved bigint NOT NULL,
  inserted bigint NOT NULL,
  updated bigint NOT NULL,
  root bytea NOT NULL CHECK (length(root) = 32),
  chain bytea NOT NULL CHECK (length(chain) = 32),
  digest integer NOT NULL,
  PRIMARY KEY (list_id, version)
);
CREATE INDEX versions_by_first_change ON versions (list_id, first_change);

CREATE TABLE segments (                         -- the changes, those of consecutive versions in a row
  list_id bigint NOT NULL,
  first_change bigint NOT NULL,                 -- the first number in the segment
  end_change bigint NOT NULL,                   -- the first one of the segment behind
  unfolded bigint NOT NULL,                     -- how many bytes it unfolds to
  data_digest bigint NOT NULL,
  digest integer NOT NULL,
  data bytea NOT NULL,                          -- what is in which block, or the blocks themselves: Segment says how
  PRIMARY KEY (list_id, first_change)
);
ALTER TABLE segments ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE TABLE blocks (                           -- of long segments
  list_id bigint NOT NULL,
  block bigint NOT NULL,                        -- a number that is never given to another block
  byte_count bigint NOT NULL,                   -- what it unfolds to: UnfoldedBlock says how
  data_digest bigint NOT NULL,
  digest integer NOT NULL,
  data bytea NOT NULL,                          -- deflated: PackedData, ContentsBlock and StepsBlock say how
  PRIMARY KEY (list_id, block)
);
ALTER TABLE blocks ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE TABLE id_parts (
  list_id bigint NOT NULL,
  last_prefix bigint NOT NULL,                  -- the highest 32 bits of a hash that the part may hold
  data bytea NOT NULL,                          -- hashes of ids, and the items that have them: IDPart says how
  digest integer NOT NULL,
  PRIMARY KEY (list_id, last_prefix)
);

CREATE TABLE head_parts (                       -- the newest version in order, about a thousand items a row
  list_id bigint NOT NULL,
  rank bigint NOT NULL,                         -- ascending in the order of the list, with gaps
  item_count bigint NOT NULL CHECK (item_count >= 1),
  lowest_item bigint NOT NULL,                  -- of the items in this part
  highest_item bigint NOT NULL,
  hash bytea NOT NULL CHECK (length(hash) = 32), -- of this group of the list's tree of hashes
  data_digest bigint NOT NULL,
  digest integer NOT NULL,
  data bytea NOT NULL,                          -- its items and groups: HeadPartCoding says how
  PRIMARY KEY (list_id, rank)
);

CREATE TABLE checkpoints (                      -- older versions in order
  list_id bigint NOT NULL,
  version bigint NOT NULL,
  part bigint NOT NULL,                         -- from 0, in the order of the list
  next_change bigint NOT NULL,                  -- the number of the first change after the version
  data_digest bigint NOT NULL,
  digest integer NOT NULL,
  data bytea NOT NULL,                          -- the items of some parts: CheckpointData says how
  PRIMARY KEY (list_id, version, part)
);

CREATE TABLE change_sets (
  list_id bigint NOT NULL,
  from_version bigint NOT NULL,
  to_version bigint NOT NULL,
  byte_count bigint NOT NULL,                   -- before they are deflated
  used_at bigint NOT NULL,                      -- milliseconds since 1970, UTC; the least recent go first
  data_digest bigint NOT NULL,
  digest integer NOT NULL,
  data bytea NOT NULL,                          -- the changes: ChangeSetCoding and PackedData say how
  PRIMARY KEY (list_id, from_version, to_version)
);

CREATE TABLE tags (
  list_id bigint NOT NULL,
  name bytea NOT NULL,
  version bigint NOT NULL,
  tagged_at bigint NOT NULL,                    -- milliseconds since 1970, UTC
  digest integer NOT NULL,
  PRIMARY KEY (list_id, name)
);

CREATE TABLE prunes (
  list_id bigint NOT NULL,
  new_oldest bigint NOT NULL,                   -- the versions before this one went,
  old_oldest bigint NOT NULL,                   -- from this one on
  pruned_at bigint NOT NULL,                    -- milliseconds since 1970, UTC
  author bytea,
  rule bytea NOT NULL,                          -- what was to be kept, as the request said it
  chain bytea NOT NULL CHECK (length(chain) = 32), -- that of new_oldest
  digest integer NOT NULL,
  PRIMARY KEY (list_id, new_oldest)
);

CREATE TABLE imports (
  list_id bigint NOT NULL,
  source bytea NOT NULL,                        -- where versions come from
  position bytea NOT NULL,                      -- how far they were taken
  digest integer NOT NULL,
  PRIMARY KEY (list_id, source)
);

CREATE TABLE former_lists (                     -- the names that lists have left
  former_id bigint PRIMARY KEY,                 -- ascending in time
  name bytea NOT NULL,
  version bigint NOT NULL CHECK (version >= 0), -- the list's newest version then
  chain bytea NOT NULL CHECK (length(chain) = 32), -- that of this version
  left_at bigint NOT NULL,                      -- milliseconds since 1970, UTC
  author bytea,
  new_name bytea,                               -- null for a dropped list
  digest integer NOT NULL
);
CREATE INDEX former_lists_by_name ON former_lists (name, former_id);

-- A token's secret is not here, only its SHA-256, which recognises the secret but cannot reveal it.
CREATE TABLE tokens (
  name bytea NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  number bigint NOT NULL,                       -- from 1; only the last one of a name can be in force
  secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32),
  created_at bigint NOT NULL,                   -- milliseconds since 1970, UTC
  revoked_at bigint,                            -- likewise; null while the token is in force
  grants bytea NOT NULL,                        -- a line each: 'read team-*' or 'write *'
  digest integer NOT NULL,
  PRIMARY KEY (name, number)
);
