package io.leasehold.service;

import java.util.Set;

import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.Capability;
import io.leasehold.engine.LockEngine;
import org.jspecify.annotations.Nullable;

/**
 * Forms of locks that not every engine supports.
 */
public final class EngineForms {

	private EngineForms() {
	}

	/**
	 * Return the first form that options require and an engine does not support.
	 * @param options how to acquire and hold a lock
	 * @return such as {@code permits, which engine 'stub' does not support}, or
	 * {@code null} if it supports all of them
	 */
	public static @Nullable String unsupported(LockOptions options, LockEngine engine) {
		String form = missingForm(options, engine);
		return (form != null) ? "%s, which engine '%s' does not support".formatted(form, engine.name()) : null;
	}

	private static @Nullable String missingForm(LockOptions options, LockEngine engine) {
		Set<Capability> capabilities = engine.capabilities();
		Access.Kind access = Access.of(options).kind();
		if (access == Access.Kind.SHARED && !capabilities.contains(Capability.SHARED)) {
			return "mode SHARED";
		}
		if (access == Access.Kind.PERMITS && !capabilities.contains(Capability.PERMITS)) {
			return "permits";
		}
		if (!options.lockDelay().isZero() && !capabilities.contains(Capability.LOCK_DELAY)) {
			return "a lock delay";
		}
		return null;
	}

	static void check(LockOptions options, LockEngine engine) {
		String lacking = unsupported(options, engine);
		if (lacking != null) {
			throw new IllegalArgumentException("Lock '%s' requires %s".formatted(options.name(), lacking));
		}
	}

}
