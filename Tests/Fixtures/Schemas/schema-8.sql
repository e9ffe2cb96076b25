-- A store of schema 8 as the program of its time left it: a store of schema 7, upgraded, and dumped by SQLite's shell.
-- It never changes; schema-8.json says what it answers.

PRAGMA application_id = 1280530766;
PRAGMA user_version = 8;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE lists (
  list_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  head INTEGER NOT NULL CHECK (head >= 0),     -- the newest version; 0 before the first
  oldest INTEGER NOT NULL CHECK (oldest >= 1), -- the first version that is still kept
  id_rule TEXT                                 -- how ids are found in its snapshot files, JSON
, next_change INTEGER NOT NULL DEFAULT 1, digest INTEGER NOT NULL DEFAULT 0, next_indexed INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO lists VALUES(1,'parks',7,1,'["code"]',32,-1276425,32);
INSERT INTO lists VALUES(2,'films',4,3,NULL,9,5466157,9);
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
, digest INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO versions VALUES(4294967297,1,1768478400000,'ranger',replace('Change 1, it''s "quoted"\nand long','\n',char(10)),4,0,0,4,0,X'cd5db67f284a82bbe1c6a257845237bb',X'ed793d077898b2a07062e7c1f0aeed8d57c768374d6abed5f0afefc6304c48e6',594291);
INSERT INTO versions VALUES(4294967298,5,1771156800000,NULL,NULL,5,0,2,1,1,X'a642ae2c03e005c3225ef7fb6f330c59',X'd077a2d1ec4a4c28a1cd30173601296aac2f95e7e06fd7614764ca0ace6165cf',-1230599);
INSERT INTO versions VALUES(4294967299,9,1773576000000,'ranger',replace('Change 3, it''s "quoted"\nand long','\n',char(10)),4,2,1,1,1,X'484b6a651997c0981387db7c055d537a',X'8ace36a7c291620dd0811b2a9d40a9776809b4423b6c6a68e1051d2cfb9116bb',8322807);
INSERT INTO versions VALUES(4294967300,14,1776254400000,NULL,NULL,0,4,0,0,0,X'00000000000000000000000000000000',X'10246427c4a4abc8f40c4baeb524ff6330b742dc29e18223c79ba564d1436160',-7347205);
INSERT INTO versions VALUES(4294967301,18,1778846400000,'ranger',replace('Change 5, it''s "quoted"\nand long','\n',char(10)),5,0,0,5,0,X'93291c82d53428521f8d809f0d112475',X'496bc3e71f9a42ec52c1e6da2cba3af393ab2d773ffb4f707846df8b803ce3a1',8285478);
INSERT INTO versions VALUES(4294967302,23,1781524800000,NULL,NULL,5,0,4,0,0,X'abf71edf1fcda770063c89dd95220097',X'8ec9650a264fdb5901b89ac95b04f33543317c71ddbc9a1fc138c136a6ef59d7',3248757);
INSERT INTO versions VALUES(4294967303,27,1784116800000,'ranger',replace('Change 7, it''s "quoted"\nand long','\n',char(10)),5,2,0,2,1,X'1cf9ef77ca8ee1f1ce3a1bcebf143b1d',X'0f46766e5d432cb0be58260dfb668f3d1334cbbef49138b49606de1c089cc41a',6628630);
INSERT INTO versions VALUES(8589934595,5,1775001600000,NULL,NULL,2,2,0,1,0,X'3cf54ee483eef6ce2711fb80c9ecab00',X'e8409af562100b64b7c84563618d90c0e35b857f99e970cd82108d9cff39caf7',5410697);
INSERT INTO versions VALUES(8589934596,8,1777593600000,NULL,NULL,2,0,1,0,1,X'fd3ed9108620ff4662580877f83d656e',X'a0ed5c0723414b9b683873b219b783cb4972db55a8ec2c9cf8bd0107f370a36b',-6247566);
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
, digest INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO changes VALUES(4294967297,1,NULL,'yell',NULL,0,NULL,NULL,'{"code":"yell","name":"Yellowstone"}',-1452232);
INSERT INTO changes VALUES(4294967298,1,NULL,'sequ',NULL,1,NULL,NULL,'{"code":"sequ","name":"Sequoia"}',-2963310);
INSERT INTO changes VALUES(4294967299,1,NULL,'yose',NULL,2,NULL,NULL,'{"code":"yose","name":"Yosemite"}',-3590475);
INSERT INTO changes VALUES(4294967300,1,NULL,'mora',NULL,3,NULL,NULL,'{"code":"mora","name":"Mount Rainier"}',-4122543);
INSERT INTO changes VALUES(4294967301,2,1,NULL,0,1,1,1,NULL,-6212385);
INSERT INTO changes VALUES(4294967302,2,2,NULL,1,4,2,2,NULL,2720993);
INSERT INTO changes VALUES(4294967303,1,NULL,'crla',NULL,3,NULL,NULL,'{"code":"crla","name":"Crater Lake"}',6870967);
INSERT INTO changes VALUES(4294967304,0,3,NULL,2,0,3,NULL,'{"code":"yose","name":"Yosemite","rating":5}',6433844);
INSERT INTO changes VALUES(4294967305,3,4,NULL,2,NULL,4,NULL,NULL,-3990244);
INSERT INTO changes VALUES(4294967306,3,2,NULL,4,NULL,2,NULL,NULL,-1094873);
INSERT INTO changes VALUES(4294967307,2,7,NULL,3,0,7,7,NULL,3361991);
INSERT INTO changes VALUES(4294967308,1,NULL,'wica',NULL,2,NULL,NULL,'{"code":"wica","name":"Wind Cave","rating":1.5}',-2596449);
INSERT INTO changes VALUES(4294967309,0,1,NULL,1,3,1,NULL,'{"code":"yell","name":"Yellowstone","rating":"é"}',5412785);
INSERT INTO changes VALUES(4294967310,3,7,NULL,0,NULL,7,NULL,NULL,7103997);
INSERT INTO changes VALUES(4294967311,3,3,NULL,1,NULL,8,NULL,NULL,4919928);
INSERT INTO changes VALUES(4294967312,3,12,NULL,2,NULL,12,NULL,NULL,5150871);
INSERT INTO changes VALUES(4294967313,3,1,NULL,3,NULL,13,NULL,NULL,-5084270);
INSERT INTO changes VALUES(4294967314,1,4,NULL,NULL,0,NULL,4,NULL,-757244);
INSERT INTO changes VALUES(4294967315,1,1,NULL,NULL,1,NULL,1,NULL,4299767);
INSERT INTO changes VALUES(4294967316,1,NULL,'é',NULL,2,NULL,NULL,'{"code":"é","name":"decomposed"}',-3181608);
INSERT INTO changes VALUES(4294967317,1,NULL,'é',NULL,3,NULL,NULL,'{"code":"é","name":"composed"}',1238108);
INSERT INTO changes VALUES(4294967318,1,12,NULL,NULL,4,NULL,NULL,'{"code":"wica","name":"Wind Cave","rating":1e+30}',1691356);
INSERT INTO changes VALUES(4294967319,2,4,NULL,0,4,4,4,NULL,2172819);
INSERT INTO changes VALUES(4294967320,2,1,NULL,1,3,1,1,NULL,-5602055);
INSERT INTO changes VALUES(4294967321,2,20,NULL,2,2,20,20,NULL,-257143);
INSERT INTO changes VALUES(4294967322,2,21,NULL,3,1,21,21,NULL,-7363876);
INSERT INTO changes VALUES(4294967323,3,20,NULL,2,NULL,20,NULL,NULL,-6397074);
INSERT INTO changes VALUES(4294967324,3,4,NULL,4,NULL,4,NULL,NULL,3859710);
INSERT INTO changes VALUES(4294967325,1,NULL,'jotr',NULL,2,NULL,NULL,'{"code":"jotr","name":"Joshua Tree"}',-2698977);
INSERT INTO changes VALUES(4294967326,1,2,NULL,NULL,4,NULL,2,NULL,4375168);
INSERT INTO changes VALUES(4294967327,0,21,NULL,NULL,1,21,NULL,'{"code":"é","name":"composed","rating":2}',-5467699);
INSERT INTO changes VALUES(8589934594,1,NULL,'a',NULL,1,NULL,NULL,'{"id":"a","title":"M"}',3211807);
INSERT INTO changes VALUES(8589934599,1,NULL,'d',NULL,1,NULL,NULL,'{"cast":[{"n":null},true,-0.5],"id":"d","title":"Ran","year":1985}',-5660912);
INSERT INTO changes VALUES(8589934600,2,2,NULL,0,1,2,NULL,'{"id":"a","title":"M","year":1931}',-5411789);
CREATE TABLE head_parts (                      -- the newest version in order, some thousand items a row
  list_id INTEGER NOT NULL,
  rank INTEGER NOT NULL,                       -- ascending in the order of the list, with gaps
  item_count INTEGER NOT NULL CHECK (item_count >= 1),
  lowest_item INTEGER NOT NULL,                -- of the items in this part
  highest_item INTEGER NOT NULL,
  data BLOB NOT NULL, digest INTEGER NOT NULL DEFAULT 0,                          -- the items: PartCoding says how
  PRIMARY KEY (list_id, rank)
) STRICT;
INSERT INTO head_parts VALUES(1,-4294967296,5,4294967297,4294967325,X'0105180110010e01390200022c120300e5f16a892956366a',7360664);
INSERT INTO head_parts VALUES(2,-4294967296,2,8589934594,8589934599,X'01020e010b010101100085f770234bfa33',3375287);
CREATE TABLE checkpoints (                     -- older versions in order
  list_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  row INTEGER NOT NULL,                        -- from 0, in the order of the list
  data BLOB NOT NULL, digest INTEGER NOT NULL DEFAULT 0,                          -- one part or several, one after the other
  PRIMARY KEY (list_id, version, row)
) STRICT;
INSERT INTO checkpoints VALUES(2,3,0,X'0102040108010200fcb674446f98ba07',1009683);
CREATE TABLE change_sets (
  change_set_id INTEGER PRIMARY KEY,
  list_id INTEGER NOT NULL,
  from_version INTEGER NOT NULL,
  to_version INTEGER NOT NULL,
  used_at INTEGER NOT NULL,                    -- milliseconds since 1970, UTC; the least recent go first
  byte_count INTEGER NOT NULL,
  data BLOB NOT NULL, digest INTEGER NOT NULL DEFAULT 0,                          -- the changes: StoredChangeSet says how
  UNIQUE (list_id, from_version, to_version)
) STRICT;
CREATE TABLE tags (
  list_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  tagged_at INTEGER NOT NULL, digest INTEGER NOT NULL DEFAULT 0,                  -- milliseconds since 1970, UTC
  PRIMARY KEY (list_id, name)
) STRICT, WITHOUT ROWID;
INSERT INTO tags VALUES(1,'newest',7,1795295770063,3462111);
INSERT INTO tags VALUES(1,'spring',3,1795295770012,1220853);
INSERT INTO tags VALUES(2,'first',3,1795295770399,7308702);
CREATE TABLE prunes (
  prune_id INTEGER PRIMARY KEY,
  list_id INTEGER NOT NULL,
  old_oldest INTEGER NOT NULL,                 -- the versions from this one
  new_oldest INTEGER NOT NULL,                 -- to the one before this went
  pruned_at INTEGER NOT NULL,                  -- milliseconds since 1970, UTC
  author TEXT,
  rule TEXT NOT NULL,                          -- what was to be kept, as the request said it
  chain BLOB NOT NULL CHECK (length(chain) = 32) -- that of new_oldest
, digest INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO prunes VALUES(1,2,1,3,1795295770468,NULL,'keep-last 2',X'e8409af562100b64b7c84563618d90c0e35b857f99e970cd82108d9cff39caf7',-7772501);
CREATE TABLE imports (
  list_id INTEGER NOT NULL,
  source TEXT NOT NULL,                        -- where versions come from
  position TEXT NOT NULL, digest INTEGER NOT NULL DEFAULT 0,                      -- how far they were taken
  PRIMARY KEY (list_id, source)
) STRICT, WITHOUT ROWID;
CREATE TABLE tokens (
  token_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
  created_at INTEGER NOT NULL,                 -- milliseconds since 1970, UTC
  revoked_at INTEGER                           -- likewise; null while the token is in force
, digest INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO tokens VALUES(1,'reader',X'7baf5458285ca6659336b241d22dc90ba320da6703d46b84c0e6f9847fb32187',1795295770530,1795295770575,-3439569);
INSERT INTO tokens VALUES(2,'reader',X'de380120b6107660a48124060193cc24d1a8f8d166e3bfd5c6ca73c9b74a13d4',1795295770628,NULL,-714571);
INSERT INTO tokens VALUES(3,'editor',X'f422f0013a474b6b013cae8b5160d2248813fcfe7066948da77cc6244e617a36',1795295770672,NULL,7105927);
INSERT INTO tokens VALUES(4,'gone',X'0552047d2141ba07f2ff4b46aa2238f7e9887d0718ad96271ff70b67761ad72d',1795295770729,1795295770780,-2577657);
CREATE TABLE grants (
  token_id INTEGER NOT NULL,
  access TEXT NOT NULL CHECK (access IN ('read', 'write')), -- to write includes to read
  lists TEXT NOT NULL CHECK (length(lists) BETWEEN 1 AND 101), digest INTEGER NOT NULL DEFAULT 0, -- 'parks', 'team-*' or '*'
  PRIMARY KEY (token_id, access, lists)
) STRICT, WITHOUT ROWID;
INSERT INTO grants VALUES(1,'read','film*',2658087);
INSERT INTO grants VALUES(1,'read','parks',-4067920);
INSERT INTO grants VALUES(2,'read','*',5357349);
INSERT INTO grants VALUES(3,'read','films',-7343052);
INSERT INTO grants VALUES(3,'write','parks',-7065864);
INSERT INTO grants VALUES(4,'write','*',-4696832);
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
INSERT INTO former_lists VALUES(1,'streams',1,X'7597d03fc5cbc2410fedaf998c1e85eccddcad278d4f9da3fd3f5a66f84a8242',1795395225285,NULL,'brooks',2524956);
INSERT INTO former_lists VALUES(2,'brooks',1,X'7597d03fc5cbc2410fedaf998c1e85eccddcad278d4f9da3fd3f5a66f84a8242',1795395225428,'Ann',NULL,5376783);
INSERT INTO former_lists VALUES(3,'spring',1,X'a876aa9f97a395b167d61a53d22491e50d4876c98302ceb148e56a0c54717e84',1795425336303,'ranger',NULL,-7416380);
CREATE TABLE titles (
  list_id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,                          -- the member that is the title of the list's items, a JSON pointer
  digest INTEGER NOT NULL
) STRICT;
INSERT INTO titles VALUES(2,'/title',775079);
CREATE TABLE changed_lists (
  number INTEGER PRIMARY KEY,                  -- ascending in time, without gaps
  list_id INTEGER NOT NULL                     -- 0 for what belongs to no list: tokens and former names
) STRICT;
INSERT INTO changed_lists VALUES(1,3);
INSERT INTO changed_lists VALUES(2,3);
INSERT INTO changed_lists VALUES(3,3);
INSERT INTO changed_lists VALUES(4,3);
INSERT INTO changed_lists VALUES(5,0);
CREATE TABLE id_parts (
  part_id INTEGER PRIMARY KEY,                 -- list_id * 2^32 + the highest 32 bits of a hash that it may hold
  data BLOB NOT NULL,                          -- hashes of ids, and the items that have them: IDPart says how
  digest INTEGER NOT NULL
) STRICT;
INSERT INTO id_parts VALUES(8589934591,X'0100b380f9ab95d31215a5f98dd4c8e30607a58caeb5e5d20101dcae93e8fcda030ce6ddd2a6b6f10203a9eba6c395e7081dc2a0aaac9ba50514a9e6ff95e2830602fdf3a6acc3f80804',-5900418);
INSERT INTO id_parts VALUES(12884901887,X'0100f087cdf3c3950607ab8cfe94b4bd2c02',6146561);
CREATE INDEX changes_by_item ON changes (list_id, item) WHERE item IS NOT NULL;
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
CREATE UNIQUE INDEX tokens_in_force ON tokens (name) WHERE revoked_at IS NULL;
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
COMMIT;
