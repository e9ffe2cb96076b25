-- ListSync's schema, version 5: every row has a digest.
--
-- A digest is a check value of 24 bits over the other values of its row (DigestedTable says which). A row that is
-- not what was written is an error wherever it is read, and the digest travels with every copy of the row. The
-- program computes the digests of rows that are there already when it upgrades a store.
--
-- Pages have no checksums any more. A store of schema 3 or 4 keeps the 8 bytes at the end of each page that held
-- them; nothing reads or writes these bytes.

PRAGMA user_version = 5;

ALTER TABLE lists ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE versions ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE changes ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE head_parts ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checkpoints ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE change_sets ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tags ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE prunes ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tokens ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE grants ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;

-- Which migrations were applied is told by user_version alone.
DROP TABLE IF EXISTS grdb_migrations;
