package io.leasehold.endpoint;

import java.util.List;

import io.leasehold.LockEngineException;
import io.leasehold.LockHolder;
import io.leasehold.LockInspector;
import io.leasehold.LockKey;
import io.leasehold.LockKeyException;
import io.leasehold.LockPage;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Endpoint that shows locks, and releases a lock by force if its access is
 * {@code unrestricted}.
 * <p>
 * The key is a parameter and not a part of the path, because paths lose empty segments
 * and servers reject encoded slashes.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public class LocksEndpoint {

	private static final int DEFAULT_LIMIT = 100;

	private final LockInspector locks;

	private final LockActivity activity;

	private final ForcedReleaseLog log;

	public LocksEndpoint(LockInspector locks, LockActivity activity, ApplicationEventPublisher events) {
		this.locks = locks;
		this.activity = activity;
		this.log = new ForcedReleaseLog(events);
	}

	/**
	 * Return the locks held in this process and the callers that wait in it, and which
	 * locks were acquired and awaited lately.
	 */
	@ReadOperation
	public LocksDescriptor locks() {
		return LocksDescriptor.of(this.locks.overview(), this.activity);
	}

	/**
	 * Return the holders of a key, in any process, or without a key a page of the locks
	 * that all processes hold.
	 * @param key the key, or {@code null} for a page
	 * @param prefix beginning of the keys of the page, {@code null} for all
	 * @param after {@link HeldDescriptor#next()} of the page before, {@code null} to
	 * begin
	 * @param limit number of locks after which the page ends, {@code null} for 100
	 * @return a {@link LockDescriptor}, or a {@link HeldDescriptor} without a key
	 */
	@ReadOperation
	@RegisterReflectionForBinding({ LockDescriptor.class, HeldDescriptor.class })
	public Object lock(@Selector String engine, @Nullable String key, @Nullable String prefix, @Nullable String after,
			@Nullable Integer limit) {
		return (key != null) ? lock(engine, key)
				: held(engine, (prefix != null) ? prefix : "", after, (limit != null) ? limit : DEFAULT_LIMIT);
	}

	private HeldDescriptor held(String engine, String prefix, @Nullable String after, int limit) {
		try {
			LockPage page = this.locks.held(engine, prefix, after, limit);
			return new HeldDescriptor(engine, page.held().stream().map(HeldDescriptor.Entry::of).toList(), page.next(),
					null);
		}
		catch (LockEngineException ex) {
			return new HeldDescriptor(engine, List.of(), null, ex.getMessage());
		}
		catch (IllegalArgumentException | UnsupportedOperationException ex) {
			throw invalid(String.valueOf(ex.getMessage()));
		}
	}

	/**
	 * Return the holders of a key, in any process.
	 * @return the holders, and the holds and waiters of this process
	 */
	public LockDescriptor lock(String engine, String key) {
		LockKey lockKey = check(engine, key);
		List<LockDescriptor.Holder> holders = List.of();
		String failure = null;
		try {
			holders = describe(this.locks.inspect(engine, lockKey));
		}
		catch (LockEngineException ex) {
			failure = ex.getMessage();
		}
		return new LockDescriptor(engine, key, holders, failure,
				LockDescriptor.Here.of(this.locks.overview(engine, lockKey)));
	}

	/**
	 * Release a key by force, whichever process holds it. The holders are notified of the
	 * loss, but their work continues, concurrently with that of the next holder.
	 * @param securityContext the authenticated user
	 * @return the holders that lost it, empty if the key was free
	 */
	@DeleteOperation
	public List<LockDescriptor.Holder> forceRelease(@Selector String engine, String key,
			SecurityContext securityContext) {
		LockKey lockKey = check(engine, key);
		try {
			List<LockDescriptor.Holder> holders = describe(this.locks.forceRelease(engine, lockKey));
			this.log.released(engine, key, holders, securityContext.getPrincipal());
			return holders;
		}
		catch (LockEngineException ex) {
			this.log.failed(engine, key, ex, securityContext.getPrincipal());
			throw ex;
		}
	}

	private static List<LockDescriptor.Holder> describe(List<LockHolder> holders) {
		return holders.stream().map(LockDescriptor.Holder::of).toList();
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
