-- Times are microseconds since 1970 by the database's clock
CREATE TABLE IF NOT EXISTS leasehold_lock (
  id BINARY(32) NOT NULL PRIMARY KEY,
  namespace VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  lock_key VARCHAR(1536) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  owner VARCHAR(220) CHARACTER SET ascii COLLATE ascii_bin,
  grant_number BIGINT NOT NULL,
  granted_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  closed_until BIGINT NOT NULL,
  waited_until BIGINT NOT NULL,
  waiter VARCHAR(220) CHARACTER SET ascii COLLATE ascii_bin,
  version BIGINT NOT NULL
) ENGINE = InnoDB;
