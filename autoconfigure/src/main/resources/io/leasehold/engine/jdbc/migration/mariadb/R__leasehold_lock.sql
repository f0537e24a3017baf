-- Times are microseconds since 1970 by the database's clock
CREATE TABLE IF NOT EXISTS leasehold_lock (
  id BINARY(32) NOT NULL PRIMARY KEY,
  namespace VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  lock_key VARCHAR(1536) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  owner VARCHAR(220) CHARACTER SET ascii COLLATE ascii_bin,
  grant_number BIGINT NOT NULL,
  granted_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  lock_delay BIGINT NOT NULL,
  closed_until BIGINT NOT NULL,
  shared_until BIGINT NOT NULL,
  shared_access VARCHAR(9) CHARACTER SET ascii COLLATE ascii_bin,
  turn_until BIGINT NOT NULL,
  turn_access VARCHAR(9) CHARACTER SET ascii COLLATE ascii_bin,
  waited_until BIGINT NOT NULL,
  waiter VARCHAR(220) CHARACTER SET ascii COLLATE ascii_bin,
  version BIGINT NOT NULL
) ENGINE = InnoDB;
CREATE TABLE IF NOT EXISTS leasehold_lock_holder (
  lock_id BINARY(32) NOT NULL,
  grant_number BIGINT NOT NULL,
  owner VARCHAR(220) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  granted_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  lock_delay BIGINT NOT NULL,
  closed_until BIGINT NOT NULL,
  PRIMARY KEY (lock_id, grant_number),
  FOREIGN KEY (lock_id) REFERENCES leasehold_lock (id) ON DELETE CASCADE
) ENGINE = InnoDB;
