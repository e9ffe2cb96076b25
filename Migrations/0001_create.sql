-- ListSync's schema for SQLite, version 1.
--
-- One append-only log of change rows is the truth. A row's number within its list is the name of what it wrote: the row
-- by which an item first came gives the item its key, the row that wrote a content gives the content its key.
-- Everything else about a list at a version follows from the rows up to it. The key of a list is in the high bits of
-- version_id, change_id and part_id.
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
  name TEXT,                                   -- null for a dropped list
  head INTEGER NOT NULL CHECK (head >= 0),     -- the newest version; 0 before the first
  oldest INTEGER NOT NULL CHECK (oldest >= 1), -- the first version that is still kept
  id_rule TEXT,                                -- how ids are found in its snapshot files, JSON
  title_path TEXT,                             -- the member that is the title of its items, a JSON pointer
  next_change INTEGER NOT NULL,                -- the sequence of the row to come
  id_digests INTEGER NOT NULL,                 -- the sum of the digests of its rows of id_parts
  chain_before BLOB CHECK (length(chain_before) = 32), -- of the version before the oldest; null for version 0
  first_plain INTEGER NOT NULL CHECK (first_plain >= 1), -- the sequence of the first row that is not packed
  keeps_plain INTEGER NOT NULL CHECK (keeps_plain IN (0, 1)), -- 1: its rows are packed by hand only
  max_removed TEXT,                            -- how many items a snapshot or delta may remove: 20 or 20%; null: all
  digest INTEGER NOT NULL
) STRICT;

CREATE TABLE versions (
  version_id INTEGER PRIMARY KEY,              -- list_id * 2^32 + version
  list_id INTEGER GENERATED ALWAYS AS (version_id >> 32) VIRTUAL,
  version INTEGER GENERATED ALWAYS AS (version_id & 4294967295) VIRTUAL,
  first_change INTEGER NOT NULL,               -- its rows: from this sequence to that of the next version
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

CREATE TABLE changes (
  change_id INTEGER PRIMARY KEY,               -- list_id * 2^32 + a sequence within the list, from 1
  list_id INTEGER GENERATED ALWAYS AS (change_id >> 32) VIRTUAL,
  kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3), -- 0 update in place, 1 insert, 2 move, 3 remove
  item INTEGER,                                -- sequence of the row that introduced the item; null for itself
  old_index INTEGER,                           -- null for an insertion, and for an update at the same index
  new_index INTEGER,                           -- null for a removal
  old_content INTEGER,                         -- sequence of the row that wrote it; null for an insertion
  new_content INTEGER,                         -- likewise; null for a removal, and for itself
  id TEXT,                                     -- only in the row that introduces the item
  content TEXT,                                -- canonical JSON; only in the row that writes it
  digest INTEGER NOT NULL
) STRICT;
CREATE INDEX changes_by_item ON changes (list_id, item) WHERE item IS NOT NULL;

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
  next_change INTEGER NOT NULL,                -- the sequence of the first row after the version
  data_digest INTEGER NOT NULL,
  digest INTEGER NOT NULL,
  data BLOB NOT NULL,                          -- the items of some parts: CheckpointData says how
  PRIMARY KEY (list_id, version, part)
) STRICT;

-- Rows before lists.first_plain are packed: they stand in blocks, and not in the table of changes.

CREATE TABLE slices (
  list_id INTEGER NOT NULL,
  first_change INTEGER NOT NULL,               -- the first sequence in the slice
  end_change INTEGER NOT NULL,                 -- the first one of the slice behind, or the first plain one
  data_digest INTEGER NOT NULL,
  digest INTEGER NOT NULL,
  data BLOB NOT NULL,                          -- what is in which block: Slice says how
  PRIMARY KEY (list_id, first_change)
) STRICT;

CREATE TABLE blocks (
  list_id INTEGER NOT NULL,
  block INTEGER NOT NULL,                      -- a number that is never given to another block
  byte_count INTEGER NOT NULL,                 -- what it unfolds to: UnfoldedBlock says how
  data_digest INTEGER NOT NULL,
  digest INTEGER NOT NULL,
  data BLOB NOT NULL,                          -- deflated: PackedData, ContentsBlock and StepsBlock say how
  PRIMARY KEY (list_id, block)
) STRICT;

CREATE TABLE change_sets (
  list_id INTEGER NOT NULL,
  from_version INTEGER NOT NULL,
  to_version INTEGER NOT NULL,
  byte_count INTEGER NOT NULL,
  used_at INTEGER NOT NULL,                    -- milliseconds since 1970, UTC; the least recent go first
  data_digest INTEGER NOT NULL,
  digest INTEGER NOT NULL,
  data BLOB NOT NULL,                          -- the changes: ChangeSetCoding says how
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

-- For people with a SQL shell.

CREATE VIEW change_log AS
SELECT
  list, version, committed_at, author,
  -- A change that names a packed item or content is shown without them.
  iif(names_packed, 'packed', kind) AS kind, iif(names_packed, NULL, id) AS id,
  iif(names_packed, NULL, old_index) AS old_index, iif(names_packed, NULL, new_index) AS new_index,
  iif(names_packed, NULL, old_content) AS old_content, iif(names_packed, NULL, new_content) AS new_content
FROM (
  SELECT
    lists.name AS list,
    versions.version AS version,
    strftime('%Y-%m-%dT%H:%M:%SZ', versions.committed_at / 1000, 'unixepoch') AS committed_at,
    versions.author AS author,
    CASE changes.kind WHEN 0 THEN 'update' WHEN 1 THEN 'insert' WHEN 2 THEN 'move' ELSE 'remove' END AS kind,
    item.id AS id,
    iif(changes.kind = 0, coalesce(changes.old_index, changes.new_index), changes.old_index) AS old_index,
    changes.new_index AS new_index,
    old.content AS old_content,
    coalesce(changes.content, new.content) AS new_content,
    coalesce(changes.item < lists.first_plain, FALSE) OR coalesce(changes.old_content < lists.first_plain, FALSE)
      OR coalesce(changes.new_content < lists.first_plain, FALSE) AS names_packed
  FROM lists
  JOIN versions ON versions.version_id BETWEEN lists.list_id << 32 AND (lists.list_id + 1 << 32) - 1
  JOIN changes ON changes.change_id >= lists.list_id << 32 | versions.first_change
    AND changes.change_id < coalesce(
      (SELECT lists.list_id << 32 | next.first_change FROM versions AS next
        WHERE next.version_id = versions.version_id + 1),
      lists.list_id + 1 << 32)
  LEFT JOIN changes AS item
    ON item.change_id = coalesce(lists.list_id << 32 | changes.item, changes.change_id)
  LEFT JOIN changes AS old ON old.change_id = lists.list_id << 32 | changes.old_content
  LEFT JOIN changes AS new ON new.change_id = lists.list_id << 32 | changes.new_content
  WHERE (versions.version > lists.oldest OR versions.version = 1)
    AND versions.first_change >= lists.first_plain)
UNION ALL
-- A version whose changes are packed has one row.
SELECT
  lists.name, versions.version, strftime('%Y-%m-%dT%H:%M:%SZ', versions.committed_at / 1000, 'unixepoch'),
  versions.author, 'packed', NULL, NULL, NULL, NULL, NULL
FROM lists
JOIN versions ON versions.version_id BETWEEN lists.list_id << 32 AND (lists.list_id + 1 << 32) - 1
WHERE versions.first_change < lists.first_plain;

-- What each list holds at its head, in no order: indexes follow from the whole log, not from one row. A list with
-- packed rows has one row, without an id.
CREATE VIEW head_items AS
SELECT lists.name AS list, item.id AS id, coalesce(last.content, content.content) AS content
FROM lists
JOIN changes AS item ON item.change_id BETWEEN lists.list_id << 32 AND (lists.list_id + 1 << 32) - 1
  AND item.id IS NOT NULL
JOIN changes AS last ON last.change_id = coalesce(
  (SELECT max(later.change_id) FROM changes AS later
    WHERE later.list_id = lists.list_id AND later.item = item.change_id & 4294967295),
  item.change_id)
LEFT JOIN changes AS content ON content.change_id = lists.list_id << 32 | last.new_content
WHERE last.kind <> 3 AND lists.first_plain = 1
UNION ALL
SELECT name, NULL, NULL FROM lists WHERE name IS NOT NULL AND first_plain > 1;
