-- Times are microseconds since 1970 by the database's clock
CREATE TABLE IF NOT EXISTS leasehold_lock (
  id BINARY(32) NOT NULL PRIMARY KEY,
  namespace VARCHAR(100) NOT NULL,
  lock_key VARCHAR(1536) NOT NULL,
  owner VARCHAR(220),
  grant_number BIGINT NOT NULL,
  granted_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  closed_until BIGINT NOT NULL,
  waited_until BIGINT NOT NULL,
  waiter VARCHAR(220),
  version BIGINT NOT NULL
);
