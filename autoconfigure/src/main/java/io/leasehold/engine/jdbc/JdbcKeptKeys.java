package io.leasehold.engine.jdbc;

import java.time.Duration;

import io.leasehold.LockKey;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.Owner;
import org.jspecify.annotations.Nullable;

/**
 * Keys whose rows a minimum hold keeps locked without an owner. Thread-safe.
 */
record JdbcKeptKeys(LockDatabase database) implements KeptKeys {

	@Override
	public @Nullable Kept find(LockKey key) {
		return this.database.<@Nullable Kept>call(CallKind.ACQUIRE, "inspect", key,
				(session, tables) -> tables.kept().find(session, this.database.id(key)));
	}

	@Override
	public @Nullable Kept open(LockKey key) {
		return this.database.<@Nullable Kept>call(CallKind.ACQUIRE, "end the minimum hold of", key,
				(session, tables) -> tables.kept().open(session, this.database.id(key)));
	}

	@Override
	public @Nullable Kept replace(LockKey key, Owner owner, Duration duration) {
		return this.database.<@Nullable Kept>call(CallKind.ACQUIRE, "replace the minimum hold of", key,
				(session, tables) -> tables.kept().replace(session, this.database.id(key), owner, duration));
	}

}
