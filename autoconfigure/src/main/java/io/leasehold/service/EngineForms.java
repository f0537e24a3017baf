package io.leasehold.service;

import java.time.Duration;
import java.util.Set;

import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.Capability;
import io.leasehold.engine.LockEngine;
import io.leasehold.service.gate.Hold;
import org.jspecify.annotations.Nullable;

/**
 * Forms and times of locks that not every engine supports.
 */
public final class EngineForms {

	private EngineForms() {
	}

	/**
	 * Return the first form or time that options require and an engine does not support,
	 * {@code null} for none.
	 */
	public static @Nullable UnsupportedForm unsupported(LockOptions options, LockEngine engine) {
		UnsupportedForm form = missing(options, engine);
		return (form != null) ? form : tooLong(options, engine);
	}

	private static @Nullable UnsupportedForm missing(LockOptions options, LockEngine engine) {
		Set<Capability> capabilities = engine.capabilities();
		Access.Kind access = Access.of(options.terms()).kind();
		if (access == Access.Kind.SHARED && !capabilities.contains(Capability.SHARED)) {
			return missing("mode SHARED", engine, "Use mode EXCLUSIVE");
		}
		if (access == Access.Kind.PERMITS && !capabilities.contains(Capability.PERMITS)) {
			return missing("permits", engine, "Omit the permits");
		}
		if (!options.lockDelay().isZero() && !capabilities.contains(Capability.LOCK_DELAY)) {
			return missing("a lock delay", engine, "Set the lock delay to 0s");
		}
		if (!options.linger().isZero() && !capabilities.contains(Capability.LINGER)) {
			return missing("a linger time", engine, "Set the linger time to 0s");
		}
		if (!options.linger().isZero() && options.linger().compareTo(engine.minLease()) < 0) {
			return new UnsupportedForm("a linger time of %s, but engine '%s' needs at least %s"
				.formatted(options.linger(), engine.name(), engine.minLease()), "Lengthen the linger time");
		}
		return null;
	}

	private static UnsupportedForm missing(String form, LockEngine engine, String remedy) {
		return new UnsupportedForm("%s, which engine '%s' does not support".formatted(form, engine.name()), remedy);
	}

	private static @Nullable UnsupportedForm tooLong(LockOptions options, LockEngine engine) {
		Duration most = engine.maxLease();
		if (most.equals(LockOptions.UNLIMITED)) {
			return null;
		}
		Duration lease = Hold.leaseOf(options);
		if (lease.compareTo(most) > 0) {
			return tooLong("a lease of " + lease, engine, "Shorten the lease");
		}
		if (lease.plus(options.lockDelay()).compareTo(most) > 0) {
			return tooLong("a lease of %s and a lock delay of %s".formatted(lease, options.lockDelay()), engine,
					"Shorten one of them");
		}
		if (engine.capabilities().contains(Capability.MIN_HOLD) && options.minHold().compareTo(most) > 0) {
			return tooLong("a minimum hold of " + options.minHold(), engine, "Shorten the minimum hold");
		}
		return null;
	}

	private static UnsupportedForm tooLong(String times, LockEngine engine, String remedy) {
		return new UnsupportedForm(
				"%s, but engine '%s' supports at most %s".formatted(times, engine.name(), engine.maxLease()), remedy);
	}

	/** Return why a lock cannot be fenced, in a clause; {@code null} if it can be. */
	static @Nullable String unfenceable(LockOptions options, LockEngine engine) {
		if (Access.of(options.terms()).kind() != Access.Kind.EXCLUSIVE) {
			return "its lock allows several owners at once, whose tokens would invalidate each other";
		}
		return engine.numbersAlwaysGrow() ? null
				: "its engine loses data without notice, after which its tokens may decrease";
	}

	/** Reject options that an engine does not support, and too short leases. */
	static void check(LockOptions options, LockEngine engine) {
		UnsupportedForm lacking = unsupported(options, engine);
		if (lacking != null) {
			throw new IllegalArgumentException("Lock '%s' requires %s".formatted(options.name(), lacking));
		}
		if (options.lease().compareTo(engine.minLease()) < 0) {
			throw new IllegalArgumentException("Lease %s of lock '%s' is shorter than the %s that engine '%s' needs"
				.formatted(options.lease(), options.name(), engine.minLease(), engine.name()));
		}
	}

}
