package io.leasehold.engine.redlock;

import java.util.List;

import io.leasehold.engine.redis.connection.Script;

/**
 * Atomic steps of one master, from Lua files next to this class. KEYS: lock, last grant
 * number, end marker of the claim; for {@link #RENEW} the locks.
 */
final class Scripts {

	private static final String RECORD = "record.lua";

	/**
	 * Acquire the lock here. ARGV: claim, access, lease, lock delay, minimum hold,
	 * fencing retention, start of the master in microseconds, lifetime of the marks of a
	 * waiting claim or 0, member, round; times in milliseconds. Returns
	 * {@code granted, number}, {@code busy, claim, rest of its time} or {@code ended}.
	 */
	static final Script<List<Object>> ACQUIRE = Script.load(Scripts.class, RECORD, "acquire.lua");

	/**
	 * Write the number of a grant. ARGV: claim, number, fencing retention. Returns 1, or
	 * 0 if the claim does not hold the lock here, or another claim may have the number.
	 */
	static final Script<Long> NUMBER = Script.load(Scripts.class, RECORD, "number.lua");

	/**
	 * Add a grant that a majority of the masters has. KEYS: also the marker of a forced
	 * release, without which its renewals could restore the lock. ARGV: claim, access,
	 * lease, lock delay, minimum hold, fencing retention, number, age of the grant, round
	 * in which it was granted; times in milliseconds. Returns 1, or 0 if the claim does
	 * not hold the lock here.
	 */
	static final Script<Long> ADD = Script.load(Scripts.class, RECORD, "add.lua");

	/**
	 * End a claim here. ARGV: claim, {@code release} or {@code withdraw}, lifetime of the
	 * end marker or 0, member, channel on which a release that another member waits for
	 * is published, round after which a withdrawal removes no grant. Returns 1 if the
	 * claim held the lock here, otherwise 0; and for how many milliseconds another member
	 * is known to wait.
	 */
	static final Script<List<Object>> RELEASE = Script.load(Scripts.class, RECORD, "release.lua");

	/**
	 * Extend grants. ARGV for each: claim, lease, lock delay, round in which it was
	 * granted. Returns for each 1, or 0 if the claim does not hold its lock here.
	 */
	static final Script<List<Object>> RENEW = Script.load(Scripts.class, "renew.lua");

	/**
	 * Return the owners: claim, grant number, time of the grant and rest of the lease of
	 * each, in milliseconds.
	 */
	static final Script<List<Object>> INSPECT = Script.load(Scripts.class, RECORD, "inspect.lua");

	/**
	 * End all grants here, and return their owners as {@link #INSPECT} does. KEYS: as for
	 * {@link #ADD}. ARGV: lifetime of the marker in milliseconds, channel as for
	 * {@link #RELEASE}.
	 */
	static final Script<List<Object>> FORCE = Script.load(Scripts.class, RECORD, "force.lua");

	private Scripts() {
	}

}
