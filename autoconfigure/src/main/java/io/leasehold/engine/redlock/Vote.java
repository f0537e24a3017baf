package io.leasehold.engine.redlock;

import java.util.List;

/**
 * Response of one master to a request for a lock.
 *
 * @param granted whether the claim holds the lock there
 * @param number the grant number there, zero if not granted
 * @param rival the claim or turn that prevents the grant, empty if granted
 * @param busyFor for how many milliseconds the lock stays busy there, unless it is
 * released or renewed
 */
record Vote(boolean granted, long number, String rival, long busyFor) {

	static Vote parse(List<Object> response) {
		return switch ((String) response.get(0)) {
			case "granted" -> new Vote(true, Long.parseLong((String) response.get(1)), "", 0);
			case "busy" -> new Vote(false, 0, (String) response.get(1), Long.parseLong((String) response.get(2)));
			default -> new Vote(false, 0, "ended", 0);
		};
	}

}
