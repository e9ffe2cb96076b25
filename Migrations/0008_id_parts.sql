-- ListSync's schema, version 8: a list finds its items by their ids in a table of its own, and no longer by an index.
--
-- The table is sorted by the hashes of the ids, a hundred ids a row. A first commit writes it in order, it takes a
-- third of the bytes of the index, and a damaged row of it is an error where a damaged index hid an item. The program
-- fills the table of each list when it upgrades a store.

PRAGMA user_version = 8;

DROP INDEX changes_by_id;

CREATE TABLE id_parts (
  part_id INTEGER PRIMARY KEY,                 -- list_id * 2^32 + the highest 32 bits of a hash that it may hold
  data BLOB NOT NULL,                          -- hashes of ids, and the items that have them: IDPart says how
  digest INTEGER NOT NULL
) STRICT;

-- A program of an older version that is still running leaves this number behind next_change when it commits; the next
-- commit then fills the table again.
ALTER TABLE lists ADD COLUMN next_indexed INTEGER NOT NULL DEFAULT 0; -- the first row whose id is not in id_parts

-- What each list holds at its head, in no order: indexes follow from the whole log, not from one row.
DROP VIEW head_items;
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
