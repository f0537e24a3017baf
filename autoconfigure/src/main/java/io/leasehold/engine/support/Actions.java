package io.leasehold.engine.support;

import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * Names of an engine's actions in messages.
 */
public final class Actions {

	private Actions() {
	}

	/**
	 * Return the name of an action.
	 * @param action the action, such as {@code acquire}
	 * @param key the lock's key, or {@code null} if no single lock is affected
	 * @return such as {@code acquire lock 'order:42'}
	 */
	public static String of(String action, @Nullable LockKey key) {
		return (key != null) ? "%s lock '%s'".formatted(action, key) : action;
	}

	/**
	 * Return the name of a renewal.
	 * @param renewals the renewals, not empty
	 * @return such as {@code renew lock 'order:42'} or {@code renew 2 locks}
	 */
	public static String renew(List<Renewal> renewals) {
		return (renewals.size() == 1) ? of("renew", renewals.get(0).claim().key())
				: "renew %s locks".formatted(renewals.size());
	}

}
