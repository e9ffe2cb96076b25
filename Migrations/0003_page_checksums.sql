-- ListSync's schema, version 3: every page of the file ends in a checksum.
--
-- No table changes. The last 8 bytes of each page are reserved (byte 20 of the file says so) and hold a
-- checksum of the rest of the page and of its number. SQLite itself leaves those bytes alone, so that any
-- program can read the file; a page that another program writes has no checksum, and is told as damaged.
--
-- The room is made before this migration, since only writing every page anew makes it.

PRAGMA user_version = 3;
