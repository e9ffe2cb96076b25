-- A store of schema 1 as the program of its time left it: real commits, dumped by SQLite's shell.
-- It never changes; schema-1.json says what it answers.

PRAGMA application_id = 1280530766;
PRAGMA user_version = 1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('0001_create');
CREATE TABLE lists (
  list_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  head INTEGER NOT NULL CHECK (head >= 0),     -- the newest version; 0 before the first
  oldest INTEGER NOT NULL CHECK (oldest >= 1), -- the first version that is still kept
  id_rule TEXT                                 -- how ids are found in its snapshot files, JSON
) STRICT;
INSERT INTO lists VALUES(1,'parks',7,1,'["code"]');
INSERT INTO lists VALUES(2,'films',4,1,NULL);
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
INSERT INTO versions VALUES(1,1,1099511627777,4,1768478400000,'ranger',replace('Change 1, it''s "quoted"\nand long','\n',char(10)),4,0,0,4,0,X'cd5db67f284a82bbe1c6a257845237bb',X'ed793d077898b2a07062e7c1f0aeed8d57c768374d6abed5f0afefc6304c48e6');
INSERT INTO versions VALUES(1,2,1099511627781,4,1771156800000,NULL,NULL,5,0,2,1,1,X'a642ae2c03e005c3225ef7fb6f330c59',X'd077a2d1ec4a4c28a1cd30173601296aac2f95e7e06fd7614764ca0ace6165cf');
INSERT INTO versions VALUES(1,3,1099511627785,5,1773576000000,'ranger',replace('Change 3, it''s "quoted"\nand long','\n',char(10)),4,2,1,1,1,X'484b6a651997c0981387db7c055d537a',X'8ace36a7c291620dd0811b2a9d40a9776809b4423b6c6a68e1051d2cfb9116bb');
INSERT INTO versions VALUES(1,4,1099511627790,4,1776254400000,NULL,NULL,0,4,0,0,0,X'00000000000000000000000000000000',X'10246427c4a4abc8f40c4baeb524ff6330b742dc29e18223c79ba564d1436160');
INSERT INTO versions VALUES(1,5,1099511627794,5,1778846400000,'ranger',replace('Change 5, it''s "quoted"\nand long','\n',char(10)),5,0,0,5,0,X'93291c82d53428521f8d809f0d112475',X'496bc3e71f9a42ec52c1e6da2cba3af393ab2d773ffb4f707846df8b803ce3a1');
INSERT INTO versions VALUES(1,6,1099511627799,4,1781524800000,NULL,NULL,5,0,4,0,0,X'abf71edf1fcda770063c89dd95220097',X'8ec9650a264fdb5901b89ac95b04f33543317c71ddbc9a1fc138c136a6ef59d7');
INSERT INTO versions VALUES(1,7,1099511627803,5,1784116800000,'ranger',replace('Change 7, it''s "quoted"\nand long','\n',char(10)),5,2,0,2,1,X'1cf9ef77ca8ee1f1ce3a1bcebf143b1d',X'0f46766e5d432cb0be58260dfb668f3d1334cbbef49138b49606de1c089cc41a');
INSERT INTO versions VALUES(2,1,2199023255553,3,1769904000000,NULL,NULL,3,0,0,3,0,X'9917a3d700c2d37b0e3be32e00b15600',X'db589640a9684a0f3cc08d8ace5559962c064b4717b429065bff91b6f5b7ca81');
INSERT INTO versions VALUES(2,2,2199023255556,1,1772323200000,NULL,NULL,3,0,1,0,0,X'38d0c8aae86e541306ec07855834e22a',X'a6386c47c04b26395a5467270c774ed61f6163cf8967b7cf12a784c085b751d2');
INSERT INTO versions VALUES(2,3,2199023255557,3,1775001600000,NULL,NULL,2,2,0,1,0,X'3cf54ee483eef6ce2711fb80c9ecab00',X'f5eae264120244f90f9e394309b7637fa23cbd0010df5f7d205c72c9af918fa5');
INSERT INTO versions VALUES(2,4,2199023255560,1,1777593600000,NULL,NULL,2,0,1,0,1,X'fd3ed9108620ff4662580877f83d656e',X'3c8e0382541dd6a6d54301612bf4dd3fca2e9f55caa0473cd8f3d37cae14d2f6');
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
INSERT INTO changes VALUES(1099511627777,1,3,1099511627777,'yell',NULL,0,NULL,1099511627777,'{"code":"yell","name":"Yellowstone"}');
INSERT INTO changes VALUES(1099511627778,1,3,1099511627778,'sequ',NULL,1,NULL,1099511627778,'{"code":"sequ","name":"Sequoia"}');
INSERT INTO changes VALUES(1099511627779,1,3,1099511627779,'yose',NULL,2,NULL,1099511627779,'{"code":"yose","name":"Yosemite"}');
INSERT INTO changes VALUES(1099511627780,1,3,1099511627780,'mora',NULL,3,NULL,1099511627780,'{"code":"mora","name":"Mount Rainier"}');
INSERT INTO changes VALUES(1099511627781,1,2,1099511627777,NULL,0,1,1099511627777,1099511627777,NULL);
INSERT INTO changes VALUES(1099511627782,1,2,1099511627778,NULL,1,4,1099511627778,1099511627778,NULL);
INSERT INTO changes VALUES(1099511627783,1,3,1099511627783,'crla',NULL,3,NULL,1099511627783,'{"code":"crla","name":"Crater Lake"}');
INSERT INTO changes VALUES(1099511627784,1,4,1099511627779,NULL,2,0,1099511627779,1099511627784,'{"code":"yose","name":"Yosemite","rating":5}');
INSERT INTO changes VALUES(1099511627785,1,1,1099511627780,NULL,2,NULL,1099511627780,NULL,NULL);
INSERT INTO changes VALUES(1099511627786,1,1,1099511627778,NULL,4,NULL,1099511627778,NULL,NULL);
INSERT INTO changes VALUES(1099511627787,1,2,1099511627783,NULL,3,0,1099511627783,1099511627783,NULL);
INSERT INTO changes VALUES(1099511627788,1,3,1099511627788,'wica',NULL,2,NULL,1099511627788,'{"code":"wica","name":"Wind Cave","rating":1.5}');
INSERT INTO changes VALUES(1099511627789,1,4,1099511627777,NULL,1,3,1099511627777,1099511627789,'{"code":"yell","name":"Yellowstone","rating":"é"}');
INSERT INTO changes VALUES(1099511627790,1,1,1099511627783,NULL,0,NULL,1099511627783,NULL,NULL);
INSERT INTO changes VALUES(1099511627791,1,1,1099511627779,NULL,1,NULL,1099511627784,NULL,NULL);
INSERT INTO changes VALUES(1099511627792,1,1,1099511627788,NULL,2,NULL,1099511627788,NULL,NULL);
INSERT INTO changes VALUES(1099511627793,1,1,1099511627777,NULL,3,NULL,1099511627789,NULL,NULL);
INSERT INTO changes VALUES(1099511627794,1,3,1099511627780,NULL,NULL,0,NULL,1099511627780,NULL);
INSERT INTO changes VALUES(1099511627795,1,3,1099511627777,NULL,NULL,1,NULL,1099511627777,NULL);
INSERT INTO changes VALUES(1099511627796,1,3,1099511627796,'é',NULL,2,NULL,1099511627796,'{"code":"é","name":"decomposed"}');
INSERT INTO changes VALUES(1099511627797,1,3,1099511627797,'é',NULL,3,NULL,1099511627797,'{"code":"é","name":"composed"}');
INSERT INTO changes VALUES(1099511627798,1,3,1099511627788,NULL,NULL,4,NULL,1099511627798,'{"code":"wica","name":"Wind Cave","rating":1e+30}');
INSERT INTO changes VALUES(1099511627799,1,2,1099511627780,NULL,0,4,1099511627780,1099511627780,NULL);
INSERT INTO changes VALUES(1099511627800,1,2,1099511627777,NULL,1,3,1099511627777,1099511627777,NULL);
INSERT INTO changes VALUES(1099511627801,1,2,1099511627796,NULL,2,2,1099511627796,1099511627796,NULL);
INSERT INTO changes VALUES(1099511627802,1,2,1099511627797,NULL,3,1,1099511627797,1099511627797,NULL);
INSERT INTO changes VALUES(1099511627803,1,1,1099511627796,NULL,2,NULL,1099511627796,NULL,NULL);
INSERT INTO changes VALUES(1099511627804,1,1,1099511627780,NULL,4,NULL,1099511627780,NULL,NULL);
INSERT INTO changes VALUES(1099511627805,1,3,1099511627805,'jotr',NULL,2,NULL,1099511627805,'{"code":"jotr","name":"Joshua Tree"}');
INSERT INTO changes VALUES(1099511627806,1,3,1099511627778,NULL,NULL,4,NULL,1099511627778,NULL);
INSERT INTO changes VALUES(1099511627807,1,4,1099511627797,NULL,1,1,1099511627797,1099511627807,'{"code":"é","name":"composed","rating":2}');
INSERT INTO changes VALUES(2199023255553,2,3,2199023255553,'a',NULL,0,NULL,2199023255553,'{"id":"a","title":"M"}');
INSERT INTO changes VALUES(2199023255554,2,3,2199023255554,'b',NULL,1,NULL,2199023255554,'{"id":"b","title":"Z\u0000 "}');
INSERT INTO changes VALUES(2199023255555,2,3,2199023255555,'c',NULL,2,NULL,2199023255555,'{"id":"c","title":"🎬"}');
INSERT INTO changes VALUES(2199023255556,2,2,2199023255555,NULL,2,0,2199023255555,2199023255555,NULL);
INSERT INTO changes VALUES(2199023255557,2,1,2199023255555,NULL,0,NULL,2199023255555,NULL,NULL);
INSERT INTO changes VALUES(2199023255558,2,1,2199023255554,NULL,2,NULL,2199023255554,NULL,NULL);
INSERT INTO changes VALUES(2199023255559,2,3,2199023255559,'d',NULL,1,NULL,2199023255559,'{"cast":[{"n":null},true,-0.5],"id":"d","title":"Ran","year":1985}');
INSERT INTO changes VALUES(2199023255560,2,2,2199023255553,NULL,0,1,2199023255553,2199023255560,'{"id":"a","title":"M","year":1931}');
CREATE UNIQUE INDEX changes_by_id ON changes (list_id, id) WHERE id IS NOT NULL;
CREATE INDEX changes_by_item ON changes (item) WHERE item <> change_id;
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
CREATE VIEW head_items AS
SELECT lists.name AS list, item.id AS id, content.content AS content
FROM lists
JOIN changes AS item ON item.list_id = lists.list_id AND item.id IS NOT NULL
JOIN changes AS last ON last.change_id = coalesce(
  (SELECT max(later.change_id) FROM changes AS later
    WHERE later.item = item.change_id AND later.item <> later.change_id),
  item.change_id)
JOIN changes AS content ON content.change_id = last.new_content;
COMMIT;
