-- ListSync's schema, version 1.
--
-- One append-only log of change rows is the truth. A row's number within its list is the name of what it wrote: the
-- row by which an item first came gives the item its key, the row that wrote a content gives the content its key.
-- The list is in the high bits of every key. Everything else about a list at a version follows from the rows up to it.
--
-- A digest is a check value of 24 bits over the other values of its row (DigestedTable says which). A row that is not
-- what was written is an error wherever it is read, and the digest travels with every copy of the row.

PRAGMA application_id = 1280529457; -- "LST1"
PRAGMA user_version = 1;

CREATE TABLE lists (
  list_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  head INTEGER NOT NULL CHECK (head >= 0),     -- the newest version; 0 before the first
  oldest INTEGER NOT NULL CHECK (oldest >= 1), -- the first version that is still kept
  id_rule TEXT,                                -- how ids are found in its snapshot files, JSON
  next_change INTEGER NOT NULL,                -- the sequence of the row to come; never given twice
  id_digest INTEGER NOT NULL,                  -- the sum of the digests of its rows of id_parts
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
  checksum BLOB NOT NULL CHECK (length(checksum) = 16),
  chain BLOB NOT NULL CHECK (length(chain) = 32),
  digest INTEGER NOT NULL
) STRICT;

CREATE TABLE changes (
  change_id INTEGER PRIMARY KEY,               -- list_id * 2^32 + a sequence within the list, from 1
  list_id INTEGER GENERATED ALWAYS AS (change_id >> 32) VIRTUAL,
  kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3), -- 0 update in place, 1 insert, 2 move, 3 remove
  item INTEGER,                                -- sequence of the row that introduced the item; null for itself
  id TEXT,                                     -- only in the row that introduces the item
  old_index INTEGER,                           -- null for an insertion, and for an update at the same index
  new_index INTEGER,                           -- null for a removal
  old_content INTEGER,                         -- sequence of the row that wrote it; null for an insertion
  new_content INTEGER,                         -- likewise; null for a removal, and for itself
  content TEXT,                                -- canonical JSON; only in the row that writes it
  digest INTEGER NOT NULL
) STRICT;

CREATE INDEX changes_by_item ON changes (list_id, item) WHERE item IS NOT NULL;

-- The tables down to change_sets are derived from the log.

CREATE TABLE head_parts (                      -- the newest version in order, some thousand items a row
  list_id INTEGER NOT NULL,
  rank INTEGER NOT NULL,                       -- ascending in the order of the list, with gaps
  item_count INTEGER NOT NULL CHECK (item_count >= 1),
  lowest_item INTEGER NOT NULL,                -- of the items in this part
  highest_item INTEGER NOT NULL,
  data BLOB NOT NULL,                          -- the items: PartCoding says how
  digest INTEGER NOT NULL,
  PRIMARY KEY (list_id, rank)
) STRICT;

-- How a list finds its items by their ids: sorted by the hashes of the ids, a hundred ids a row.
CREATE TABLE id_parts (
  part_id INTEGER PRIMARY KEY,                 -- list_id * 2^32 + the highest 32 bits of a hash that it may hold
  data BLOB NOT NULL,                          -- hashes of ids, and the items that have them: IDPart says how
  digest INTEGER NOT NULL
) STRICT;

CREATE TABLE checkpoints (                     -- older versions in order
  list_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  row INTEGER NOT NULL,                        -- from 0, in the order of the list
  data BLOB NOT NULL,                          -- one part or several, one after the other
  digest INTEGER NOT NULL,
  PRIMARY KEY (list_id, version, row)
) STRICT;

CREATE TABLE change_sets (
  change_set_id INTEGER PRIMARY KEY,
  list_id INTEGER NOT NULL,
  from_version INTEGER NOT NULL,
  to_version INTEGER NOT NULL,
  used_at INTEGER NOT NULL,                    -- milliseconds since 1970, UTC; the least recent go first
  byte_count INTEGER NOT NULL,
  data BLOB NOT NULL,                          -- the changes: ChangeSetCoding says how
  digest INTEGER NOT NULL,
  UNIQUE (list_id, from_version, to_version)
) STRICT;

-- These say how the log was treated.

CREATE TABLE tags (
  list_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  tagged_at INTEGER NOT NULL,                  -- milliseconds since 1970, UTC
  digest INTEGER NOT NULL,
  PRIMARY KEY (list_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE prunes (
  prune_id INTEGER PRIMARY KEY,
  list_id INTEGER NOT NULL,
  old_oldest INTEGER NOT NULL,                 -- the versions from this one
  new_oldest INTEGER NOT NULL,                 -- to the one before this went
  pruned_at INTEGER NOT NULL,                  -- milliseconds since 1970, UTC
  author TEXT,
  rule TEXT NOT NULL,                          -- what was to be kept, as the request said it
  chain BLOB NOT NULL CHECK (length(chain) = 32), -- that of new_oldest
  digest INTEGER NOT NULL
) STRICT;

CREATE TABLE imports (
  list_id INTEGER NOT NULL,
  source TEXT NOT NULL,                        -- where versions come from
  position TEXT NOT NULL,                      -- how far they were taken
  digest INTEGER NOT NULL,
  PRIMARY KEY (list_id, source)
) STRICT, WITHOUT ROWID;

CREATE TABLE titles (
  list_id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,                          -- the member that is the title of the list's items, a JSON pointer
  digest INTEGER NOT NULL
) STRICT;

-- The names of lists that were dropped or renamed. A client with an old cursor learns from here that its list is gone,
-- and the name does not begin a second history unnoticed. The rows of a dropped list itself are deleted.
CREATE TABLE former_lists (
  former_id INTEGER PRIMARY KEY,               -- ascending in time
  name TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 0), -- the list's newest version then
  chain BLOB NOT NULL CHECK (length(chain) = 32), -- that of this version
  left_at INTEGER NOT NULL,                    -- milliseconds since 1970, UTC
  author TEXT,
  new_name TEXT,                               -- null for a dropped list
  digest INTEGER NOT NULL
) STRICT;

-- The tokens by which a server knows who may read and write which lists. A token's secret is not here, only its SHA-256,
-- which recognises the secret but cannot reveal it.
CREATE TABLE tokens (
  token_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
  created_at INTEGER NOT NULL,                 -- milliseconds since 1970, UTC
  revoked_at INTEGER,                          -- likewise; null while the token is in force
  digest INTEGER NOT NULL
) STRICT;

-- A name that was revoked may be given again.
CREATE UNIQUE INDEX tokens_in_force ON tokens (name) WHERE revoked_at IS NULL;

CREATE TABLE grants (
  token_id INTEGER NOT NULL,
  access TEXT NOT NULL CHECK (access IN ('read', 'write')), -- to write includes to read
  lists TEXT NOT NULL CHECK (length(lists) BETWEEN 1 AND 101), -- 'parks', 'team-*' or '*'
  digest INTEGER NOT NULL,
  PRIMARY KEY (token_id, access, lists)
) STRICT, WITHOUT ROWID;

-- The lists that changed last, so that a server reads only their heads after a commit. A server that has not read for
-- longer than the rows reach back reads the heads of all lists. Triggers write the rows, so that the statements of other
-- programs are recorded, too; other programs have no digests.
CREATE TABLE changed_lists (
  number INTEGER PRIMARY KEY,                  -- ascending in time, without gaps
  list_id INTEGER NOT NULL                     -- 0 for what belongs to no list: tokens and former names
) STRICT;

CREATE TRIGGER changed_lists_stay_few AFTER INSERT ON changed_lists BEGIN
  DELETE FROM changed_lists WHERE number <= NEW.number - 128;
END;

CREATE TRIGGER list_created AFTER INSERT ON lists BEGIN
  INSERT INTO changed_lists (list_id) VALUES (NEW.list_id);
END;

CREATE TRIGGER list_changed AFTER UPDATE OF name, head, oldest, id_rule ON lists BEGIN
  INSERT INTO changed_lists (list_id) VALUES (NEW.list_id);
END;

CREATE TRIGGER list_dropped AFTER DELETE ON lists BEGIN
  INSERT INTO changed_lists (list_id) VALUES (OLD.list_id);
END;

CREATE TRIGGER title_set AFTER INSERT ON titles BEGIN
  INSERT INTO changed_lists (list_id) VALUES (NEW.list_id);
END;

CREATE TRIGGER former_list_recorded AFTER INSERT ON former_lists BEGIN
  INSERT INTO changed_lists (list_id) VALUES (0);
END;

CREATE TRIGGER token_made AFTER INSERT ON tokens BEGIN
  INSERT INTO changed_lists (list_id) VALUES (0);
END;

CREATE TRIGGER token_revoked AFTER UPDATE OF name, secret_hash, revoked_at ON tokens BEGIN
  INSERT INTO changed_lists (list_id) VALUES (0);
END;

-- For people with a SQL shell.

CREATE VIEW change_log AS
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
  coalesce(changes.content, new.content) AS new_content
FROM lists
JOIN versions ON versions.version_id BETWEEN lists.list_id << 32 AND (lists.list_id + 1 << 32) - 1
JOIN changes ON changes.change_id >= lists.list_id << 32 | versions.first_change
  AND changes.change_id < coalesce(
    (SELECT lists.list_id << 32 | next.first_change FROM versions AS next
      WHERE next.version_id = versions.version_id + 1),
    lists.list_id + 1 << 32)
JOIN changes AS item
  ON item.change_id = coalesce(lists.list_id << 32 | changes.item, changes.change_id)
LEFT JOIN changes AS old ON old.change_id = lists.list_id << 32 | changes.old_content
LEFT JOIN changes AS new ON new.change_id = lists.list_id << 32 | changes.new_content
WHERE versions.version > lists.oldest OR versions.version = 1;

-- What each list holds at its head, in no order: indexes follow from the whole log, not from one row.
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
WHERE last.kind <> 3;
