-- ListSync's schema, version 1.
--
-- One append-only log of change rows is the truth. A row's number is the name of what it wrote: the row by
-- which an item first came gives the item its key, the row that wrote a content gives the content its
-- key. Everything else about a list at a version follows from the rows up to it.

PRAGMA application_id = 1280530766; -- "LSYN"
PRAGMA user_version = 1;

CREATE TABLE lists (
  list_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  head INTEGER NOT NULL CHECK (head >= 0),     -- the newest version; 0 before the first
  oldest INTEGER NOT NULL CHECK (oldest >= 1), -- the first version that is still kept
  id_rule TEXT                                 -- how ids are found in its snapshot files, JSON
) STRICT;

CREATE TABLE versions (
  list_id INTEGER NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  first_change INTEGER NOT NULL,               -- its rows: first_change and the change_count - 1 after it
  change_count INTEGER NOT NULL CHECK (change_count >= 1),
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
  PRIMARY KEY (list_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE changes (
  change_id INTEGER PRIMARY KEY,               -- list_id * 2^40 + a sequence within the list
  list_id INTEGER NOT NULL,
  kind INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 4), -- 1 remove, 2 move, 3 insert, 4 update in place
  item INTEGER NOT NULL,                       -- the change_id of the row that introduced the item
  id TEXT,                                     -- only in the row that introduces the item
  old_index INTEGER,                           -- null for an insertion
  new_index INTEGER,                           -- null for a removal
  old_content INTEGER,                         -- the change_id of the row that wrote it; null for an insertion
  new_content INTEGER,                         -- likewise; null for a removal
  content TEXT                                 -- canonical JSON; only in the row that writes it
) STRICT;

CREATE UNIQUE INDEX changes_by_id ON changes (list_id, id) WHERE id IS NOT NULL;
CREATE INDEX changes_by_item ON changes (item) WHERE item <> change_id;

-- For people with a SQL shell.

CREATE VIEW change_log AS
SELECT
  lists.name AS list,
  versions.version AS version,
  strftime('%Y-%m-%dT%H:%M:%SZ', versions.committed_at / 1000, 'unixepoch') AS committed_at,
  versions.author AS author,
  CASE changes.kind WHEN 1 THEN 'remove' WHEN 2 THEN 'move' WHEN 3 THEN 'insert' ELSE 'update' END AS kind,
  item.id AS id,
  changes.old_index AS old_index,
  changes.new_index AS new_index,
  old.content AS old_content,
  new.content AS new_content
FROM lists
JOIN versions ON versions.list_id = lists.list_id
JOIN changes ON changes.change_id >= versions.first_change
  AND changes.change_id < versions.first_change + versions.change_count
JOIN changes AS item ON item.change_id = changes.item
LEFT JOIN changes AS old ON old.change_id = changes.old_content
LEFT JOIN changes AS new ON new.change_id = changes.new_content;

-- What each list holds at its head, in no order: indexes follow from the whole log, not from one row.
CREATE VIEW head_items AS
SELECT lists.name AS list, item.id AS id, content.content AS content
FROM lists
JOIN changes AS item ON item.list_id = lists.list_id AND item.id IS NOT NULL
JOIN changes AS last ON last.change_id = coalesce(
  (SELECT max(later.change_id) FROM changes AS later
    WHERE later.item = item.change_id AND later.item <> later.change_id),
  item.change_id)
JOIN changes AS content ON content.change_id = last.new_content;
