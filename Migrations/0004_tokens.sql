-- ListSync's schema, version 4: the tokens by which a server knows who may read and write which lists.
--
-- A token's secret is not here, only its SHA-256, which tells it again and does not lead back to it.

PRAGMA user_version = 4;

CREATE TABLE tokens (
  token_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
  created_at INTEGER NOT NULL,                 -- milliseconds since 1970, UTC
  revoked_at INTEGER                           -- likewise; null while the token is in force
) STRICT;

-- A name that was revoked may be given again.
CREATE UNIQUE INDEX tokens_in_force ON tokens (name) WHERE revoked_at IS NULL;

CREATE TABLE grants (
  token_id INTEGER NOT NULL,
  access TEXT NOT NULL CHECK (access IN ('read', 'write')), -- to write includes to read
  lists TEXT NOT NULL CHECK (length(lists) BETWEEN 1 AND 101), -- 'parks', 'team-*' or '*'
  PRIMARY KEY (token_id, access, lists)
) STRICT, WITHOUT ROWID;
