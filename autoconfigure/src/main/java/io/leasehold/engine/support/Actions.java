package io.leasehold.engine.support;

import java.util.List;

import io.leasehold.engine.Renewal;

/**
 * Names of an engine's actions in messages.
 */
public final class Actions {

	private Actions() {
	}

	/**
	 * Return the name of a renewal.
	 * @param renewals the renewals, not empty
	 * @return such as {@code renew lock 'order:42'} or {@code renew 2 locks}
	 */
	public static String renew(List<Renewal> renewals) {
		return (renewals.size() == 1) ? "renew lock '%s'".formatted(renewals.get(0).claim().key())
				: "renew %s locks".formatted(renewals.size());
	}

}
