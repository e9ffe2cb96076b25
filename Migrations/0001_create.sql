-- ListSync's schema for SQLite, version 1.
--
-- One append-only log of changes is the truth. A change has a number within its list, its sequence, which is the name of
-- what it wrote: the change by which an item first came gives the item its key, the change that wrote a content gives the
-- content its key. Everything else about a list at a version follows from the changes up to it. The key of a list is in
-- the high bits of version_id, segment_id and part_id.
--
-- A digest is a check value of 24 bits over the name of the table and the values before it (LogTable says how). A
-- data_digest is one of 64 bits over the data, so the digest ties the data to its row. A row that is not what was
-- written is an error wherever it is read, and the digests travel with every copy of the row.

PRAGMA application_id = 1280529458; -- "LST2"
PRAGMA user_version = 1;

CREATE TABLE names (                           -- the directory
  name TEXT PRIMARY KEY,
  list_id INTEGER NOT NULL,
  digest INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE lists (
  list_id INTEGER PRIMARY KEY,                 -- never given again: the row of a dropped list stays
  name TEXT,                                   -- null for a dropped list; not in names while its first version is stored
  head INTEGER NOT NULL CHECK (head >= 0),     -- the newest version; 0 before the first
  oldest INTEGER NOT NULL CHECK (oldest >= 1), -- the first version that is still kept
  id_rule TEXT,                                -- how ids are found in its snapshot files, JSON
  title_path TEXT,                             -- the member that is the title of its items, a JSON pointer
  next_change INTEGER NOT NULL,                -- the sequence of the change to come
  id_digests INTEGER NOT NULL,                 -- the sum of the digests of its rows of id_parts
  chain_before BLOB CHECK (length(chain_before) = 32), -- of the version before the oldest; null for version 0
  merge_count INTEGER NOT NULL,                -- how often segments were replaced by others than commits
  max_removed TEXT,                            -- how many items a snapshot or delta may remove: 20 or 20%; null: all
  max_updated TEXT,                            -- how many it may update, likewise
  digest INTEGER NOT NULL
) STRICT;

CREATE TABLE versions (
  version_id INTEGER PRIMARY KEY,              -- list_id * 2^32 + version
  list_id INTEGER GENERATED ALWAYS AS (version_id >> 32) VIRTUAL,
  version INTEGER GENERATED ALWAYS AS (version_id & 4294967295) VIRTUAL,
  first_change INTEGER NOT NULL,               -- its changes: from this sequence to that of the next version
  committed_at INTEGER NOT NULL,               -- milliseconds since 1970, UTC
  author TEXT,
  message TEXT,
  item_count INTEGER NOT NULL CHECK (item_count >= 0),
  removed INTEGER NOT NULL,
  moved INTEGER NOT NULL,
  inserted INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  root BLOB NOT NULL CHECK (length(root) = 32),
  chain BLOB NOT NULL CHECK (length(chain) = 32),
  digest INTEGER NOT NULL
) STRICT;
CREATE INDEX versions_by_first_change ON versions (list_id, first_change);

CREATE TABLE segments (                        -- the changes, those of consecutive versions in a row
  segment_id INTEGER PRIMARY KEY,              -- list_id * 2^32 + the first sequence in the segment
  end_change INTEGER NOT NULL,                 -- the first sequence of the segment behind
  unfolded INTEGER NOT NULL,                   -- how many bytes it unfolds to
  data_digest INTEGER NOT NULL,
  digest INTEGER NOT NULL,
  data BLOB NOT NULL                           -- what is in which block, or the blocks themselves: Segment says how
) STRICT;

CREATE TABLE blocks (                          -- of long segments
  list_id INTEGER NOT NULL,
  block INTEGER NOT NULL,                      -- a number that is never given to another block
  byte_count INTEGER NOT NULL,                 -- what it unfolds to: UnfoldedBlock says how
  data_digest INTEGER NOT NULL,
  digest INTEGER NOT NULL,
  data BLOB NOT NULL,                          -- deflated: PackedData, ContentsBlock and StepsBlock say how
  PRIMARY KEY (list_id, block)
) STRICT;

-- Everything below is derived from the log, or says how it was treated.

CREATE TABLE id_parts (
  part_id INTEGER PRIMARY KEY,                 -- list_id * 2^32 + the highest 32 bits of a hash that it may hold
  data BLOB NOT NULL,                          -- hashes of ids, and the items that have them: IDPart says how
  digest INTEGER NOT NULL
) STRICT;

CREATE TABLE head_parts (                      -- the newest version in order, about a thousand items a row
  list_id INTEGER NOT NULL,
  rank INTEGER NOT NULL,                       -- ascending in the order of the list, with gaps
  item_count INTEGER NOT NULL CHECK (item_count >= 1),
  lowest_item INTEGER NOT NULL,                -- of the items in this part
  highest_item INTEGER NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32), -- of this group of the list's tree of hashes
  data_digest INTEGER NOT NULL,
  digest INTEGER NOT NULL,
  data BLOB NOT NULL,                          -- its items and groups: HeadPartCoding says how
  PRIMARY KEY (list_id, rank)
) STRICT;

CREATE TABLE checkpoints (                     -- older versions in order
  list_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  part INTEGER NOT NULL,                       -- from 0, in the order of the list
  next_change INTEGER NOT NULL,                -- the sequence of the first change after the version
  data_digest INTEGER NOT NULL,
  digest INTEGER NOT NULL,
  data BLOB NOT NULL,                          -- the items of some parts: CheckpointData says how
  PRIMARY KEY (list_id, version, part)
) STRICT;

CREATE TABLE change_sets (
  list_id INTEGER NOT NULL,
  from_version INTEGER NOT NULL,
  to_version INTEGER NOT NULL,
  byte_count INTEGER NOT NULL,                 -- before they are deflated
  used_at INTEGER NOT NULL,                    -- milliseconds since 1970, UTC; the least recent go first
  data_digest INTEGER NOT NULL,
  digest INTEGER NOT NULL,
  data BLOB NOT NULL,                          -- the changes: ChangeSetCoding and PackedData say how
  PRIMARY KEY (list_id, from_version, to_version)
) STRICT;

CREATE TABLE tags (
  list_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  tagged_at INTEGER NOT NULL,                  -- milliseconds since 1970, UTC
  digest INTEGER NOT NULL,
  PRIMARY KEY (list_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE prunes (
  list_id INTEGER NOT NULL,
  new_oldest INTEGER NOT NULL,                 -- the versions before this one went,
  old_oldest INTEGER NOT NULL,                 -- from this one on
  pruned_at INTEGER NOT NULL,                  -- milliseconds since 1970, UTC
  author TEXT,
  rule TEXT NOT NULL,                          -- what was to be kept, as the request said it
  chain BLOB NOT NULL CHECK (length(chain) = 32), -- that of new_oldest
  digest INTEGER NOT NULL,
  PRIMARY KEY (list_id, new_oldest)
) STRICT, WITHOUT ROWID;

CREATE TABLE imports (
  list_id INTEGER NOT NULL,
  source TEXT NOT NULL,                        -- where versions come from
  position TEXT NOT NULL,                      -- how far they were taken
  digest INTEGER NOT NULL,
  PRIMARY KEY (list_id, source)
) STRICT, WITHOUT ROWID;

CREATE TABLE former_lists (                    -- the names that lists have left
  former_id INTEGER PRIMARY KEY,               -- ascending in time
  name TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 0), -- the list's newest version then
  chain BLOB NOT NULL CHECK (length(chain) = 32), -- that of this version
  left_at INTEGER NOT NULL,                    -- milliseconds since 1970, UTC
  author TEXT,
  new_name TEXT,                               -- null for a dropped list
  digest INTEGER NOT NULL
) STRICT;
CREATE INDEX former_lists_by_name ON former_lists (name);

-- A token's secret is not here, only its SHA-256, which recognises the secret but cannot reveal it.
CREATE TABLE tokens (
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  number INTEGER NOT NULL,                     -- from 1; only the last one of a name can be in force
  secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
  created_at INTEGER NOT NULL,                 -- milliseconds since 1970, UTC
  revoked_at INTEGER,                          -- likewise; null while the token is in force
  grants TEXT NOT NULL,                        -- a line each: 'read team-*' or 'write *'
  digest INTEGER NOT NULL,
  PRIMARY KEY (name, number)
) STRICT, WITHOUT ROWID;

-- The lists that changed last, so that a server reads only their heads after a commit. A server that has not read for
-- longer than the rows reach back reads the heads of all lists.
CREATE TABLE changed_lists (
  number INTEGER PRIMARY KEY,                  -- ascending in time, without gaps
  list_id INTEGER NOT NULL                     -- 0 for what belongs to no list: tokens and former names
) STRICT;
