package io.leasehold.engine.jdbc;

import java.time.Duration;

import io.leasehold.LockKey;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.Owner;
import org.jspecify.annotations.Nullable;

/**
 * Keys whose rows a minimum hold keeps locked without an owner. Thread-safe.
 */
record JdbcKeptKeys(LockDatabase database, String namespace) implements KeptKeys {

	@Override
	public @Nullable Kept find(LockKey key) {
		RowId id = RowId.of(this.namespace, key);
		return this.database.<@Nullable Kept>call(CallKind.ACQUIRE, "inspect", key,
				(session, tables) -> tables.kept().find(session, id));
	}

	@Override
	public @Nullable Kept open(LockKey key) {
		RowId id = RowId.of(this.namespace, key);
		return this.database.<@Nullable Kept>call(CallKind.ACQUIRE, "end the minimum hold of", key,
				(session, tables) -> tables.kept().open(session, id));
	}

	@Override
	public @Nullable Kept replace(LockKey key, Owner owner, Duration duration) {
		RowId id = RowId.of(this.namespace, key);
		return this.database.<@Nullable Kept>call(CallKind.ACQUIRE, "replace the minimum hold of", key,
				(session, tables) -> tables.kept().replace(session, id, owner, duration));
	}

}
