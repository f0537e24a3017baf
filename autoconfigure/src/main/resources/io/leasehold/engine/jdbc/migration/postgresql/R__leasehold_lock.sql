-- Times are microseconds since 1970 by the database's clock.
-- The room left in each page keeps updates away from the index.
CREATE TABLE IF NOT EXISTS leasehold_lock (
  id BYTEA NOT NULL PRIMARY KEY,
  namespace VARCHAR(100) COLLATE "C" NOT NULL,
  lock_key VARCHAR(1536) COLLATE "C" NOT NULL,
  owner VARCHAR(220) COLLATE "C",
  grant_number BIGINT NOT NULL,
  granted_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  lock_delay BIGINT NOT NULL,
  closed_until BIGINT NOT NULL,
  shared_until BIGINT NOT NULL,
  shared_access VARCHAR(9) COLLATE "C",
  turn_until BIGINT NOT NULL,
  turn_access VARCHAR(9) COLLATE "C",
  waited_until BIGINT NOT NULL,
  waiter VARCHAR(220) COLLATE "C",
  version BIGINT NOT NULL
) WITH (fillfactor = 70);
CREATE TABLE IF NOT EXISTS leasehold_lock_holder (
  lock_id BYTEA NOT NULL,
  grant_number BIGINT NOT NULL,
  owner VARCHAR(220) COLLATE "C" NOT NULL,
  granted_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  lock_delay BIGINT NOT NULL,
  closed_until BIGINT NOT NULL,
  PRIMARY KEY (lock_id, grant_number),
  FOREIGN KEY (lock_id) REFERENCES leasehold_lock (id) ON DELETE CASCADE
) WITH (fillfactor = 70);
