package io.leasehold.endpoint;

import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.leasehold.KeptLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockDeadlocks;
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
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.util.StringUtils;

/**
 * Endpoint that shows locks. If its access is {@code unrestricted}, it also releases a
 * lock by force, pauses a job, and opens the key of a job.
 * <p>
 * The key is a parameter and not a part of the path, because paths lose empty segments
 * and servers reject encoded slashes.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public class LocksEndpoint {

	private static final int DEFAULT_LIMIT = 100;

	/** A number without a unit. Zero is excepted, because it is the same in all units. */
	private static final Pattern NUMBER = Pattern.compile("[+-]?0*[1-9]\\d*");

	private final LockInspector locks;

	private final LockActivity activity;

	private final OperatorLog log;

	public LocksEndpoint(LockInspector locks, LockActivity activity, ApplicationEventPublisher events) {
		this.locks = locks;
		this.activity = activity;
		this.log = new OperatorLog(events);
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
		return (key != null) ? lock(engine, key) : held(engine, (prefix != null) ? prefix : "",
				StringUtils.hasLength(after) ? after : null, (limit != null) ? limit : DEFAULT_LIMIT);
	}

	/**
	 * Return a view of the locks of all processes.
	 * @param view {@code deadlocks}: threads of several processes that wait for each
	 * other's locks
	 */
	@ReadOperation
	public DeadlocksDescriptor view(@Selector String engine, @Selector String view) {
		if (!view.equals("deadlocks")) {
			throw invalid("There is no view '%s', only [deadlocks]".formatted(view));
		}
		try {
			LockDeadlocks found = this.locks.deadlocks(engine);
			return new DeadlocksDescriptor(engine, found.cycles(), found.complete(), null);
		}
		catch (LockEngineException ex) {
			return new DeadlocksDescriptor(engine, List.of(), false, ex.getMessage());
		}
		catch (IllegalArgumentException | UnsupportedOperationException ex) {
			throw invalid(String.valueOf(ex.getMessage()));
		}
	}

	private HeldDescriptor held(String engine, String prefix, @Nullable String after, int limit) {
		try {
			LockPage page = this.locks.held(engine, prefix, after, limit);
			return new HeldDescriptor(engine, page.held().stream().map(HeldDescriptor.Entry::of).toList(), page.next(),
					null);
		}
		catch (LockEngineException ex) {
			return new HeldDescriptor(engine, List.of(), after, ex.getMessage());
		}
		catch (IllegalArgumentException | UnsupportedOperationException ex) {
			throw invalid(String.valueOf(ex.getMessage()));
		}
	}

	/**
	 * Return the holders of a key, in any process, or how it is kept between two runs.
	 * @return the state of the key, and what {@link #locks()} contains about it
	 */
	public LockDescriptor lock(String engine, String key) {
		LockKey lockKey = check(engine, key);
		List<LockHolder> holders = List.of();
		KeptLock kept = null;
		String failure = null;
		try {
			holders = this.locks.inspect(engine, lockKey);
			kept = holders.isEmpty() ? this.locks.kept(engine, lockKey) : null;
		}
		catch (LockEngineException ex) {
			failure = ex.getMessage();
		}
		return new LockDescriptor(engine, key, describe(holders), (kept != null) ? LockDescriptor.Kept.of(kept) : null,
				failure,
				LocksDescriptor.of(this.locks.overview(engine, lockKey), this.activity).withActivityOf(engine, key));
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
		Principal principal = securityContext.getPrincipal();
		OperatorLog.Action action = OperatorLog.Action.FORCED_RELEASE;
		List<LockHolder> holders = attempt(action, engine, key, principal,
				() -> this.locks.forceRelease(engine, lockKey));
		this.log.done(action, engine, key, holders.isEmpty() ? "not held" : "released", OperatorLog.describe(holders),
				principal);
		return describe(holders);
	}

	/**
	 * Pause a job, or open its key so that it can run again before its period ends.
	 * @param action {@code pause} or {@code open}
	 * @param duration length of the pause, such as {@code 2h} or {@code PT2H};
	 * {@code null} until the key is opened
	 * @param securityContext the authenticated user
	 * @return the state of the key afterwards
	 * @throws LockBusyException if the key is held, naming the holders
	 */
	@WriteOperation
	public LockDescriptor change(@Selector String engine, @Selector String action, String key,
			@Nullable String duration, SecurityContext securityContext) {
		LockKey lockKey = check(engine, key);
		Principal principal = securityContext.getPrincipal();
		try {
			switch (action) {
				case "pause" -> pause(engine, lockKey, length(duration), principal);
				case "open" -> open(engine, lockKey, principal);
				default -> throw invalid("There is no action '%s', only [open, pause]".formatted(action));
			}
		}
		catch (IllegalArgumentException | UnsupportedOperationException ex) {
			throw invalid(String.valueOf(ex.getMessage()));
		}
		return lock(engine, key);
	}

	private void pause(String engine, LockKey key, @Nullable Duration duration, @Nullable Principal principal) {
		OperatorLog.Action action = OperatorLog.Action.PAUSE;
		KeptLock replaced = attempt(action, engine, key.value(), principal,
				() -> this.locks.pause(engine, key, duration, OperatorLog.name(principal)));
		String time = (duration != null) ? "for " + duration : "until it is opened";
		this.log.done(action, engine, key.value(), "paused",
				(replaced != null) ? time + "; before, it was " + replaced : time, principal);
	}

	private void open(String engine, LockKey key, @Nullable Principal principal) {
		OperatorLog.Action action = OperatorLog.Action.OPEN;
		KeptLock opened = attempt(action, engine, key.value(), principal, () -> this.locks.open(engine, key));
		this.log.done(action, engine, key.value(), (opened != null) ? "opened" : "nothing to open",
				(opened != null) ? opened.toString() : null, principal);
	}

	/**
	 * Return the length of a pause. Spring Boot would read a number without a unit as
	 * milliseconds.
	 * @throws IllegalArgumentException if it is invalid
	 */
	static @Nullable Duration length(@Nullable String duration) {
		if (duration != null && NUMBER.matcher(duration).matches()) {
			throw new IllegalArgumentException(
					"'%s' is a number without a unit. Write a duration such as 30s, 2h or PT1M".formatted(duration));
		}
		return (duration != null) ? DurationStyle.detectAndParse(duration) : null;
	}

	/** Run an action, and log its failure. */
	private <T extends @Nullable Object> T attempt(OperatorLog.Action action, String engine, String key,
			@Nullable Principal principal, Supplier<T> change) {
		try {
			return change.get();
		}
		catch (LockBusyException ex) {
			this.log.done(action, engine, key, "held", OperatorLog.describe(ex.getHolders()), principal);
			throw ex;
		}
		catch (IllegalArgumentException | UnsupportedOperationException ex) {
			throw ex; // the request is refused before it changes anything
		}
		catch (RuntimeException ex) {
			this.log.done(action, engine, key, "unknown", ex.getMessage(), principal);
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
