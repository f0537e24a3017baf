package io.leasehold.autoconfigure;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;

import io.leasehold.LockOptions;
import io.leasehold.LockTerms;
import io.leasehold.engine.RenewalRule;
import io.leasehold.interceptor.OnCancel;
import io.leasehold.interceptor.UnavailablePolicy;
import io.leasehold.service.DeadlockPolicy;
import io.leasehold.service.HolderReport;
import io.leasehold.service.OnLost;
import io.leasehold.service.ServiceSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.Ordered;

/**
 * Properties that all engines share. Values with which no lock could work fail startup.
 *
 * @param enabled Whether annotated methods run under their locks. When disabled, they run
 * without locks, and locks acquired in code apply inside this JVM only, on the only
 * engine, 'local'.
 * @param engine Name of the default engine. When not set, the only engine whose client is
 * configured.
 * @param namespace Name that separates these locks from others in the same store.
 * Applications share a lock if store, namespace and key are equal.
 * @param lease How long a lock outlives a silent owner, and thus how fast others take
 * over after a crash. Renewed while the lock is held. Engines with sessions detect a
 * crash by the session timeout instead, which is four thirds of the lease by default.
 * @param waitTime Maximum time to wait for a lock. Zero means one attempt.
 * @param lockDelay How long a key stays locked after the lease of an owner that vanished
 * without a release. Zero makes it available at the end of the lease.
 * @param linger How long this process may keep an exclusive lock after its release, so
 * that its next caller acquires it without a request to the store. Another process that
 * wants the lock ends this. Zero releases locks at once.
 * @param order Order of the lock's advice. Must be lower than that of the transaction
 * advice, so that a lock is released after the commit.
 * @param onLost How a holder is notified that its lock was lost.
 * @param whenUnavailable How an annotated method reacts while the store is unavailable.
 * @param failFast Whether startup fails if the store of any engine grants no locks within
 * the wait time. Otherwise the application starts, and locks fail until the store
 * responds.
 * @param slowHold How long a lock may be held before a warning is logged and an
 * application event is published. When not set, without limit.
 * @param slowWait How long a caller may wait for a lock before a warning names the
 * holder. When not set, without limit.
 * @param leakDetection Whether a warning shows where an unreleased lock was acquired.
 * Takes a stack trace of each acquisition.
 * @param contention Whether the endpoint 'locks' shows the keys that callers of this
 * process waited for most in the last five minutes. They are kept in bounded memory.
 * @param holderReport When a LockBusyException names the holders of the lock. This costs
 * one request to the store, after the wait.
 * @param deadlock What happens if threads of this process wait for each other's locks.
 * They are named in a warning in any case. With 'break', the last one that began to wait
 * fails.
 * @param handoff Limits of handoffs inside one JVM.
 * @param fencing Properties of fencing tokens.
 * @param transaction Properties of transactions under locks.
 * @param async Properties of the threads that run methods with an asynchronous result.
 * @param reactive Properties of methods that return a publisher.
 */
@ConfigurationProperties("leasehold")
public record LeaseholdProperties(@DefaultValue("true") boolean enabled, @Nullable String engine,
		@DefaultValue("leasehold") String namespace, @DefaultValue("30s") Duration lease,
		@DefaultValue("5s") Duration waitTime, @DefaultValue("0s") Duration lockDelay,
		@DefaultValue("0s") Duration linger, @DefaultValue("" + (Ordered.LOWEST_PRECEDENCE - 100)) int order,
		@DefaultValue("throw") OnLost onLost, @DefaultValue("fail") UnavailablePolicy whenUnavailable, boolean failFast,
		@Nullable Duration slowHold, @Nullable Duration slowWait, boolean leakDetection,
		@DefaultValue("true") boolean contention, @DefaultValue("after-wait") HolderReport holderReport,
		@DefaultValue("warn") DeadlockPolicy deadlock, @DefaultValue Handoff handoff, @DefaultValue Fencing fencing,
		@DefaultValue Transaction transaction, @DefaultValue Async async,
		@DefaultValue Reactive reactive) implements InitializingBean {

	/** Name in metrics for locks that are acquired in code without a name. */
	private static final String UNNAMED = "unnamed";

	private static final Duration MAX_RETENTION = Duration.ofDays(3650);

	private static final Pattern NAMESPACE = Pattern.compile("[\\x21-\\x7e&&[^{}%]]{1,100}");

	@Override
	public void afterPropertiesSet() {
		check("leasehold.namespace", this.namespace, NAMESPACE.matcher(this.namespace).matches(),
				"It must be 1 to 100 printable ASCII characters without blanks, '{', '}' and '%'.");
		check("leasehold.lease", this.lease, isBetween(this.lease, Duration.ofMillis(1), LockTerms.MAX_LEASE),
				"It must be at least 1ms and at most 365d.");
		check("leasehold.wait-time", this.waitTime, isBetween(this.waitTime, Duration.ZERO, LockOptions.UNLIMITED),
				"It must be at least 0s, which means one attempt, and at most 106751d.");
		check("leasehold.lock-delay", this.lockDelay, isBetween(this.lockDelay, Duration.ZERO, LockTerms.MAX_LEASE),
				"It must be at least 0s and at most 365d.");
		check("leasehold.linger", this.linger, isBetween(this.linger, Duration.ZERO, LockTerms.MAX_LEASE),
				"It must be at least 0s and at most 365d.");
		checkLimit("leasehold.slow-hold", this.slowHold);
		checkLimit("leasehold.slow-wait", this.slowWait);
		this.handoff.check(this.lease);
		this.fencing.check();
		check("leasehold.async.max-threads", this.async.maxThreads, this.async.maxThreads >= 1,
				"It must be at least 1.");
	}

	/** Return the settings of a service with the default engine of this name. */
	ServiceSettings toServiceSettings(String defaultEngine) {
		LockOptions defaults = new LockOptions(UNNAMED, defaultEngine, this.lease, this.waitTime, Duration.ZERO,
				LockOptions.UNLIMITED)
			.toBuilder()
			.lockDelay(this.lockDelay)
			.linger(this.linger)
			.build();
		return new ServiceSettings(defaults, this.onLost, this.handoff.maxConsecutive(), this.handoff.maxTime(),
				limit(this.slowHold), limit(this.slowWait), this.holderReport, this.deadlock);
	}

	private static Duration limit(@Nullable Duration value) {
		return (value != null) ? value : LockOptions.UNLIMITED;
	}

	private static void checkLimit(String property, @Nullable Duration value) {
		check(property, limit(value), isBetween(limit(value), Duration.ofMillis(1), LockOptions.UNLIMITED),
				"It must be at least 1ms and at most 106751d.");
	}

	private static boolean isBetween(Duration value, Duration least, Duration most) {
		return value.compareTo(least) >= 0 && value.compareTo(most) <= 0;
	}

	private static void check(String property, Object value, boolean good, String reason) {
		if (!good) {
			throw new InvalidConfigurationPropertyValueException(property, value, reason);
		}
	}

	/**
	 * Limits of handoffs inside one JVM.
	 *
	 * @param maxConsecutive Maximum number of consecutive handoffs of a lock inside this
	 * JVM before other JVMs get their turn. At most 63; zero means none.
	 * @param maxTime Maximum time for which a lock is handed off inside this JVM before
	 * other JVMs get their turn. At most a third of 'leasehold.lease', or 10ms if that is
	 * longer.
	 */
	record Handoff(@DefaultValue("63") int maxConsecutive, @DefaultValue("10ms") Duration maxTime) {

		private static final Duration MAX_TIME = Duration.ofMillis(10);

		private void check(Duration lease) {
			Duration longest = Collections.max(List.of(MAX_TIME, RenewalRule.period(lease)));
			LeaseholdProperties.check("leasehold.handoff.max-consecutive", this.maxConsecutive,
					this.maxConsecutive >= 0 && this.maxConsecutive <= ServiceSettings.MOST_HANDOFFS,
					"It must be at least 0 and at most " + ServiceSettings.MOST_HANDOFFS + ".");
			LeaseholdProperties.check("leasehold.handoff.max-time", this.maxTime,
					isBetween(this.maxTime, Duration.ofNanos(1), longest),
					("It must be more than 0s and at most %s ms, a third of leasehold.lease, after which a lock is "
							+ "renewed. To pass no lock on, set leasehold.handoff.max-consecutive to 0.")
						.formatted(longest.toMillis()));
		}

	}

	/**
	 * Properties of fencing tokens.
	 *
	 * @param retention How long the store remembers the last fencing token of an unused
	 * key. Must exceed any possible backward correction of the store's clock.
	 */
	public record Fencing(@DefaultValue("7d") Duration retention) {

		private void check() {
			LeaseholdProperties.check("leasehold.fencing.retention", this.retention,
					isBetween(this.retention, Duration.ofSeconds(1), MAX_RETENTION),
					"It must be at least 1s and at most 3650d.");
		}

	}

	/**
	 * Properties of transactions under locks.
	 *
	 * @param commitGuard Whether a transaction is rolled back instead of committed if a
	 * lock under which it runs was lost.
	 */
	record Transaction(@DefaultValue("true") boolean commitGuard) {
	}

	/**
	 * Properties of the threads that run methods with an asynchronous result.
	 *
	 * @param executor Name of the Executor bean that runs annotated methods which return
	 * a CompletionStage. When not set, virtual threads if they are enabled, otherwise a
	 * bounded pool of Leasehold. No thread of this executor may wait for such a method.
	 * @param maxThreads Maximum number of threads in Leasehold's pool for annotated
	 * methods that return a CompletionStage.
	 */
	record Async(@Nullable String executor, @DefaultValue("64") int maxThreads) {
	}

	/**
	 * Properties of methods that return a publisher.
	 *
	 * @param onCancel Effect of a cancelled subscription on the lock of a publisher that
	 * has not ended. With 'expire', the lock is lost and its key stays locked until the
	 * lease expires, because the method's work may continue. With 'release', the key
	 * becomes available at once.
	 */
	record Reactive(@DefaultValue("expire") OnCancel onCancel) {
	}

}
