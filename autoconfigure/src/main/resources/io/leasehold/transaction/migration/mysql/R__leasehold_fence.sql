-- The greatest fencing token that an owner of a lock announced
CREATE TABLE IF NOT EXISTS leasehold_fence (
  id BINARY(32) NOT NULL PRIMARY KEY,
  engine VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  namespace VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  lock_key VARCHAR(1536) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  token BIGINT NOT NULL,
  announced_at TIMESTAMP NOT NULL
) ENGINE = InnoDB;
