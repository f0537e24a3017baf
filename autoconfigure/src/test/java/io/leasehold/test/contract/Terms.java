package io.leasehold.test.contract;

import java.time.Duration;

import io.leasehold.LockMode;
import io.leasehold.LockTerms;
import io.leasehold.engine.Access;

/**
 * Terms of claims in tests.
 */
public final class Terms {

	private Terms() {
	}

	public static LockTerms of(Access access, Duration lease, Duration minHold, Duration lockDelay) {
		LockMode mode = access.equals(Access.SHARED) ? LockMode.SHARED : LockMode.EXCLUSIVE;
		return new LockTerms(mode, access.isPermit() ? access.limit() : 0, lease, minHold, lockDelay);
	}

}
