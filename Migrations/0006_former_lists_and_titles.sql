-- ListSync's schema, version 6: the names of lists that were dropped or renamed, and the titles of items.
--
-- A client with an old cursor learns from here that its list is gone, and the name does not begin a second history
-- unnoticed. The rows of a dropped list itself are deleted.

PRAGMA user_version = 6;

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

CREATE TABLE titles (
  list_id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,                          -- the member that is the title of the list's items, a JSON pointer
  digest INTEGER NOT NULL
) STRICT;
