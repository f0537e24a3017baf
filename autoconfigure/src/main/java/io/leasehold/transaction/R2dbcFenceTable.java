package io.leasehold.transaction;

import java.time.Duration;
import java.time.LocalDateTime;

import io.leasehold.engine.support.KeyNames;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.R2dbcException;
import io.r2dbc.spi.Result;
import io.r2dbc.spi.Statement;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.r2dbc.connection.ConnectionFactoryUtils;
import org.springframework.r2dbc.core.binding.BindMarkers;
import org.springframework.r2dbc.core.binding.BindMarkersFactory;

/**
 * Statements on the fence table by R2DBC, each on a given connection. Thread-safe.
 */
record R2dbcFenceTable(BindMarkersFactory markers) {

	/** Error of MySQL in a read-only transaction, whose driver reports no SQL state. */
	private static final int MYSQL_READ_ONLY = 1792;

	Mono<Void> check(Connection connection) {
		return execute(connection, FenceTable.CHECK).flatMap((result) -> result.map((row, metadata) -> row.get(0)))
			.then();
	}

	/**
	 * Store a token on a connection that commits each statement. If another owner inserts
	 * the row concurrently, update that row.
	 */
	Mono<Void> announce(Fence fence, Connection connection) {
		return update(connection, FenceTable.RAISE, fence.token(), fence.id(), fence.token())
			.flatMap((raised) -> (raised > 0) ? Mono.just(true) : insert(fence, connection))
			.repeat()
			.takeUntil((announced) -> announced)
			.then();
	}

	/** Return whether the token is in the table. */
	private Mono<Boolean> insert(Fence fence, Connection connection) {
		Mono<Boolean> insertion = Mono
			.defer(() -> update(connection, FenceTable.INSERT, fence.id(), fence.engine(), fence.namespace(),
					KeyNames.ascii(fence.key()), fence.token()))
			.thenReturn(true)
			.onErrorReturn(R2dbcFenceTable::isDuplicate, false);
		return token(fence, connection).flatMap((known) -> {
			if (known > fence.token()) {
				return Mono.error(fence.stale("a later owner has announced token " + known));
			}
			// Some drivers count no row that has its values already
			return Mono.just(known == fence.token());
		}).switchIfEmpty(insertion);
	}

	/**
	 * Remove tokens that were announced before the retention, each by its key, as
	 * {@link FenceTable} does, on a connection that commits each statement.
	 */
	Mono<Void> removeIdle(Duration retention, Connection connection) {
		return execute(connection, "SELECT LOCALTIMESTAMP")
			.flatMap((result) -> result.map((row, metadata) -> row.get(0, LocalDateTime.class)))
			.next()
			.map((now) -> now.minus(retention).minus(FenceTable.ZONES))
			.flatMapMany((idle) -> removeFound(idle, connection).repeat())
			.takeUntil((found) -> found < FenceTable.FOUND_AT_ONCE)
			.then();
	}

	/** Return how many idle tokens were found. */
	private Mono<Integer> removeFound(LocalDateTime idle, Connection connection) {
		return execute(connection, FenceTable.FIND_IDLE, idle)
			.flatMap((result) -> result.map((row, metadata) -> row.get(0, byte[].class)))
			.take(FenceTable.FOUND_AT_ONCE)
			.collectList()
			.flatMap((found) -> Flux.fromIterable(found)
				.concatMap((id) -> update(connection, FenceTable.REMOVE_IDLE, id, idle))
				.then(Mono.just(found.size())));
	}

	private static boolean isDuplicate(Throwable failure) {
		return failure instanceof R2dbcException ex
				&& ConnectionFactoryUtils.convertR2dbcException("Insert", null, ex) instanceof DuplicateKeyException;
	}

	/**
	 * Compare a token on the connection that is about to commit. The row stays locked
	 * until the end of the transaction, so the token cannot be raised meanwhile. A
	 * database that enforces a read-only transaction rejects the row lock, and there is
	 * nothing to fence. The rollback clears the failed statement.
	 */
	Mono<Void> compare(Fence fence, GuardedConnection connection) {
		Mono<Void> comparison = token(fence, connection)
			.switchIfEmpty(Mono.error(() -> fence.stale(FenceTable.MISSING)))
			.filter((known) -> known != fence.token())
			.flatMap((known) -> Mono.<Void>error(fence.stale("the announced token is now %s".formatted(known))));
		return connection.isReadOnly()
				? comparison.onErrorResume(R2dbcFenceTable::isReadOnly, (refused) -> connection.rollbackTransaction())
				: comparison;
	}

	private static boolean isReadOnly(Throwable failure) {
		return failure instanceof R2dbcException refusal
				&& (FenceTable.READ_ONLY.equals(refusal.getSqlState()) || refusal.getErrorCode() == MYSQL_READ_ONLY);
	}

	private Mono<Long> token(Fence fence, Connection connection) {
		return execute(connection, FenceTable.READ, fence.id())
			.flatMap((result) -> result.map((row, metadata) -> row.get(0, Long.class)))
			.next();
	}

	private Mono<Long> update(Connection connection, String sql, Object... values) {
		return execute(connection, sql, values).flatMap(Result::getRowsUpdated).reduce(0L, Long::sum);
	}

	private Flux<? extends Result> execute(Connection connection, String sql, Object... values) {
		return Flux.defer(() -> {
			Statement statement = connection.createStatement(marked(sql));
			for (int i = 0; i < values.length; i++) {
				statement.bind(i, values[i]);
			}
			return statement.execute();
		});
	}

	/** Replace the markers of JDBC by those of the database. */
	private String marked(String sql) {
		BindMarkers markers = this.markers.create();
		StringBuilder marked = new StringBuilder();
		sql.chars().forEach((c) -> marked.append((c == '?') ? markers.next().getPlaceholder() : Character.toString(c)));
		return marked.toString();
	}

}
