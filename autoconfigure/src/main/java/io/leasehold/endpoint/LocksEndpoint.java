package io.leasehold.endpoint;

import java.util.Optional;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockKeyException;
import io.leasehold.service.LockService;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Endpoint that shows locks, and releases one by force where its access is
 * {@code unrestricted}.
 * <p>
 * The key is a parameter and not a part of the path, since paths lose empty segments and
 * servers refuse encoded slashes.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public class LocksEndpoint {

	private final LockService locks;

	private final ForcedReleaseLog log;

	/**
	 * Create an endpoint.
	 * @param locks the locks to show
	 * @param events where forced releases are told to the audit
	 */
	public LocksEndpoint(LockService locks, ApplicationEventPublisher events) {
		this.locks = locks;
		this.log = new ForcedReleaseLog(events);
	}

	/**
	 * Show what this process holds and awaits.
	 * @return the locks held here and the callers that wait here
	 */
	@ReadOperation
	public LocksDescriptor locks() {
		return LocksDescriptor.of(this.locks.overview());
	}

	/**
	 * Show who holds a key, in whichever process.
	 * @param engine the engine's name
	 * @param key the key
	 * @return the holder and what this process has to do with the key
	 */
	@ReadOperation
	public LockDescriptor lock(@Selector String engine, String key) {
		LockKey lockKey = check(engine, key);
		LockDescriptor.Holder holder = null;
		String failure = null;
		try {
			holder = this.locks.inspect(engine, lockKey).map(LockDescriptor.Holder::of).orElse(null);
		}
		catch (LockEngineException ex) {
			failure = ex.getMessage();
		}
		return new LockDescriptor(engine, key, holder, failure,
				LocksDescriptor.of(this.locks.overview(engine, lockKey)));
	}

	/**
	 * Release a key in place of whoever holds it, in whichever process. The holder is
	 * told that its lock is lost, but its work goes on beside that of the next one.
	 * @param engine the engine's name
	 * @param key the key
	 * @param securityContext who asks for it
	 * @return who held it until now, {@code null} if nobody did
	 */
	@DeleteOperation
	public LockDescriptor.@Nullable Holder forceRelease(@Selector String engine, String key,
			SecurityContext securityContext) {
		LockKey lockKey = check(engine, key);
		try {
			Optional<LockDescriptor.Holder> holder = this.locks.forceRelease(engine, lockKey)
				.map(LockDescriptor.Holder::of);
			this.log.released(engine, key, holder.orElse(null), securityContext.getPrincipal());
			return holder.orElse(null);
		}
		catch (LockEngineException ex) {
			this.log.failed(engine, key, ex, securityContext.getPrincipal());
			throw ex;
		}
	}

	private LockKey check(String engine, String key) {
		if (!this.locks.engines().contains(engine)) {
			throw invalid("There is no lock engine '%s', only %s".formatted(engine, this.locks.engines()));
		}
		try {
			return new LockKey(key);
		}
		catch (LockKeyException ex) {
			throw invalid(String.valueOf(ex.getMessage()));
		}
	}

	private static InvalidEndpointRequestException invalid(String reason) {
		return new InvalidEndpointRequestException(reason, reason);
	}

}
