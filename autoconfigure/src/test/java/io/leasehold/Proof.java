package io.leasehold;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.core.ConditionTimeoutException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Proof that a test finds a bug.
 */
public final class Proof {

	/**
	 * Most bugs show in the time that something takes, or in what comes first. A pause of
	 * the machine may hide such a bug, but not each time.
	 */
	private static final int RUNS = 3;

	private Proof() {
	}

	/**
	 * Require that a test fails in the first of a few runs in which no pause of the
	 * machine hides the bug.
	 * @param test runs the test on code that has the bug
	 */
	public static void requireFailure(ThrowingCallable test) {
		Throwable failure = null;
		for (int run = 0; run < RUNS && failure == null; run++) {
			failure = catchThrowable(test);
		}
		assertThat(failure).as("failure of the test")
			.isInstanceOfAny(AssertionError.class, ConditionTimeoutException.class);
	}

}
