-- ListSync's schema, version 2: rows that hold less, and what is derived from them.
--
-- A row's number within its list is enough to name it, so that items and contents are named by it alone; what
-- a row introduces or writes itself is not named again; the list is in the high bits of every key.

PRAGMA user_version = 2;

DROP VIEW change_log;
DROP VIEW head_items;
DROP INDEX changes_by_id;
DROP INDEX changes_by_item;
ALTER TABLE versions RENAME TO versions_1;
ALTER TABLE changes RENAME TO changes_1;

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
  chain BLOB NOT NULL CHECK (length(chain) = 32)
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
  content TEXT                                 -- canonical JSON; only in the row that writes it
) STRICT;

INSERT INTO versions
SELECT list_id << 32 | version, first_change & 1099511627775, committed_at, author, message, item_count,
  removed, moved, inserted, updated, checksum, chain
FROM versions_1 ORDER BY list_id, version;

INSERT INTO changes
SELECT
  list_id << 32 | change_id & 1099511627775,
  CASE kind WHEN 1 THEN 3 WHEN 2 THEN 2 WHEN 3 THEN 1 ELSE 0 END,
  iif(item = change_id, NULL, item & 1099511627775),
  id,
  iif(kind = 4 AND old_index = new_index, NULL, old_index),
  new_index,
  old_content & 1099511627775,
  iif(new_content = change_id, NULL, new_content & 1099511627775),
  content
FROM changes_1 ORDER BY change_id;

DROP TABLE versions_1;
DROP TABLE changes_1;

-- Numbers are never given out twice, even when the rows that bore them are pruned.
ALTER TABLE lists ADD COLUMN next_change INTEGER NOT NULL DEFAULT 1; -- the sequence of the row to come
UPDATE lists SET next_change = 1 + coalesce(
  (SELECT max(change_id) & 4294967295 FROM changes WHERE change_id >> 32 = lists.list_id), 0);

-- The id comes first, since that is what tells rows apart while the index is made.
CREATE UNIQUE INDEX changes_by_id ON changes (id, list_id) WHERE id IS NOT NULL;
CREATE INDEX changes_by_item ON changes (list_id, item) WHERE item IS NOT NULL;

-- Everything below is derived from the log, or says how it was treated.

CREATE TABLE head_parts (                      -- the newest version in order, some thousand items a row
  list_id INTEGER NOT NULL,
  rank INTEGER NOT NULL,                       -- ascending in the order of the list, with gaps
  item_count INTEGER NOT NULL CHECK (item_count >= 1),
  lowest_item INTEGER NOT NULL,                -- of the items in this part
  highest_item INTEGER NOT NULL,
  data BLOB NOT NULL,                          -- the items: PartCoding says how
  PRIMARY KEY (list_id, rank)
) STRICT;

CREATE TABLE checkpoints (                     -- older versions in order
  list_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  row INTEGER NOT NULL,                        -- from 0, in the order of the list
  data BLOB NOT NULL,                          -- one part or several, one after the other
  PRIMARY KEY (list_id, version, row)
) STRICT;

CREATE TABLE change_sets (
  change_set_id INTEGER PRIMARY KEY,
  list_id INTEGER NOT NULL,
  from_version INTEGER NOT NULL,
  to_version INTEGER NOT NULL,
  used_at INTEGER NOT NULL,                    -- milliseconds since 1970, UTC; the least recent go first
  byte_count INTEGER NOT NULL,
  data BLOB NOT NULL,                          -- the changes: StoredChangeSet says how
  UNIQUE (list_id, from_version, to_version)
) STRICT;

CREATE TABLE tags (
  list_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  tagged_at INTEGER NOT NULL,                  -- milliseconds since 1970, UTC
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
  chain BLOB NOT NULL CHECK (length(chain) = 32) -- that of new_oldest
) STRICT;

CREATE TABLE imports (
  list_id INTEGER NOT NULL,
  source TEXT NOT NULL,                        -- where versions come from
  position TEXT NOT NULL,                      -- how far they were taken
  PRIMARY KEY (list_id, source)
) STRICT, WITHOUT ROWID;

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
JOIN changes AS item ON item.list_id = lists.list_id AND item.id IS NOT NULL
JOIN changes AS last ON last.change_id = coalesce(
  (SELECT max(later.change_id) FROM changes AS later
    WHERE later.list_id = lists.list_id AND later.item = item.change_id & 4294967295),
  item.change_id)
LEFT JOIN changes AS content ON content.change_id = lists.list_id << 32 | last.new_content
WHERE last.kind <> 3;
