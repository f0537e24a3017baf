package io.leasehold.transaction;

import java.util.List;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import reactor.core.publisher.Mono;

import org.springframework.core.InfrastructureProxy;
import org.springframework.r2dbc.connection.DelegatingConnectionFactory;

/**
 * Connection factory of a transaction manager, whose connections are guarded. Spring
 * binds them to the application's connection factory, where {@code DatabaseClient} finds
 * them. Thread-safe.
 */
final class GuardedConnectionFactory extends DelegatingConnectionFactory implements InfrastructureProxy {

	private final boolean refusesLost;

	/**
	 * Create a factory.
	 * @param refusesLost whether lost locks prevent a commit
	 */
	GuardedConnectionFactory(ConnectionFactory target, boolean refusesLost) {
		super(target);
		this.refusesLost = refusesLost;
	}

	@Override
	public Mono<Connection> create() {
		List<HeldLock> outer = HeldLockScope.held();
		return super.create().map((connection) -> new GuardedConnection(connection, getTargetConnectionFactory(), outer,
				this.refusesLost));
	}

	@Override
	public Object getWrappedObject() {
		return getTargetConnectionFactory();
	}

}
