-- Times are microseconds since 1970 by the database's clock
CREATE TABLE IF NOT EXISTS leasehold_lock (
  id BINARY(32) NOT NULL PRIMARY KEY,
  namespace VARCHAR(100) NOT NULL,
  lock_key VARCHAR(1536) NOT NULL,
  owner VARCHAR(220),
  grant_number BIGINT NOT NULL,
  granted_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  lock_delay BIGINT NOT NULL,
  closed_until BIGINT NOT NULL,
  shared_until BIGINT NOT NULL,
  shared_access VARCHAR(9),
  turn_until BIGINT NOT NULL,
  turn_access VARCHAR(9),
  waited_until BIGINT NOT NULL,
  waiter VARCHAR(220),
  version BIGINT NOT NULL
);
CREATE TABLE IF NOT EXISTS leasehold_lock_holder (
  lock_id BINARY(32) NOT NULL,
  grant_number BIGINT NOT NULL,
  owner VARCHAR(220) NOT NULL,
  granted_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  lock_delay BIGINT NOT NULL,
  closed_until BIGINT NOT NULL,
  PRIMARY KEY (lock_id, grant_number),
  FOREIGN KEY (lock_id) REFERENCES leasehold_lock (id) ON DELETE CASCADE
);
