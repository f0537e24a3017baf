package io.leasehold.transaction;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import io.leasehold.HeldLock;
import io.leasehold.engine.support.Purge;
import io.leasehold.reactive.ReactiveFencingGuard;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.reactive.ReactiveTransactions;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.R2dbcException;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

import org.springframework.r2dbc.connection.ConnectionFactoryUtils;
import org.springframework.r2dbc.core.binding.BindMarkersFactoryResolver;

/**
 * Fencing guard of reactive transactions, in the table of {@link JdbcFencingGuard}. The
 * token is announced on a separate connection, and compared by {@link GuardedConnection}.
 * Thread-safe.
 */
public final class R2dbcFencingGuard implements ReactiveFencingGuard {

	private final ConnectionFactory database;

	private final R2dbcFenceTable table;

	private final String namespace;

	private final ReactiveTransactions transactions;

	private final Purge purge;

	private volatile Mono<?> preparation = Mono.empty();

	/**
	 * Create a guard.
	 * @param database the application's database, whose transactions are guarded
	 * @param namespace namespace of the application's locks
	 * @param retention how long the tokens of idle locks are kept
	 * @param transactions the application's transactions
	 */
	public R2dbcFencingGuard(ConnectionFactory database, String namespace, Duration retention,
			ReactiveTransactions transactions) {
		this.database = database;
		this.table = new R2dbcFenceTable(BindMarkersFactoryResolver.resolve(database));
		this.namespace = namespace;
		this.transactions = transactions;
		this.purge = new Purge("leasehold-fence-purge", Duration.ZERO, () -> withOwn("Remove idle fencing tokens",
				(connection) -> this.table.removeIdle(retention, connection))
			.block());
	}

	/**
	 * Check that the table exists and has the required columns.
	 * @return completes if it does, or with a
	 * {@link org.springframework.dao.DataAccessException}
	 */
	public Mono<Void> check() {
		return withOwn("Check the fence table", this.table::check);
	}

	/**
	 * Set what must complete before each call, such as the creation of the table.
	 * @param preparation subscribed to by each call, which fails if it does
	 */
	public void prepare(Mono<?> preparation) {
		this.preparation = preparation;
	}

	@Override
	public <T> Flux<T> fence(HeldLock lock, Publisher<T> work) {
		return this.preparation.then(this.transactions.current()).flatMapMany((transaction) -> {
			if (transaction.isOpen()) {
				return Flux.error(Fence.openBefore(lock));
			}
			List<Fence> fences = Fence.allOf(lock, this.namespace);
			return Flux.fromIterable(fences)
				.concatMap(this::announce)
				.doOnComplete(this.purge::runIfDue)
				.thenMany(work)
				.contextWrite((context) -> new ReactiveFences(this.database, this.table, fences)
					.addTo(within(lock, context)));
		});
	}

	private static Context within(HeldLock lock, Context context) {
		return ReactiveLocks.held(context).contains(lock) ? context : ReactiveLocks.add(context, lock);
	}

	private Mono<Void> announce(Fence fence) {
		return withOwn("Announce the fencing token of lock '%s'".formatted(fence.key()),
				(connection) -> this.table.announce(fence, connection));
	}

	/** Use a separate connection that commits each statement. */
	private Mono<Void> withOwn(String task, Function<Connection, Mono<Void>> work) {
		return Mono
			.usingWhen(this.database.create(), (connection) -> committing(connection, work.apply(connection)),
					Connection::close)
			.onErrorMap(R2dbcException.class, (ex) -> ConnectionFactoryUtils.convertR2dbcException(task, null, ex));
	}

	private static Mono<Void> committing(Connection connection, Mono<Void> work) {
		return connection.isAutoCommit() ? work
				: Mono.usingWhen(Mono.from(connection.setAutoCommit(true)).thenReturn(connection), (own) -> work,
						(own) -> own.setAutoCommit(false));
	}

}
