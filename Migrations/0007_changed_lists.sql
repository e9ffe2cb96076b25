-- ListSync's schema, version 7: the lists that changed last, so that a server reads only their heads after a commit.
--
-- Triggers write the rows, so that every program does: an older version of ListSync that is still running, too. A
-- server that has not read for longer than the rows reach back reads the heads of all lists.

PRAGMA user_version = 7;

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
