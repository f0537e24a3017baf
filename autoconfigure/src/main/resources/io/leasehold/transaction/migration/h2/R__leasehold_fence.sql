-- The greatest fencing token that an owner of a lock announced
CREATE TABLE IF NOT EXISTS leasehold_fence (
  id BINARY(32) NOT NULL PRIMARY KEY,
  engine VARCHAR(100) NOT NULL,
  namespace VARCHAR(100) NOT NULL,
  lock_key VARCHAR(1536) NOT NULL,
  token BIGINT NOT NULL,
  announced_at TIMESTAMP NOT NULL
);
