package io.leasehold.engine.redis;

import java.util.List;

import io.leasehold.engine.redis.connection.Script;

/**
 * Atomic steps of the protocol, from Lua files next to this class. A server that is not a
 * primary rejects all scripts.
 */
final class Scripts {

	private static final String LOCK = "lock.lua";

	private static final String HOLDERS = "holders.lua";

	private static final String HANDOFF = "handoff.lua";

	private static final String PRIMARY = "primary.lua";

	/**
	 * Acquire the lock, or enqueue the claim. KEYS: lock, last grant number, queue,
	 * give-up marker, holders, their grant numbers. ARGV: claim, fencing retention,
	 * prefix of inboxes, time to keep a grant that is handed over, time to keep an
	 * immediate grant, queue form, lifetime of the queue; times in milliseconds. Queue
	 * forms: {@code +} notified by message, {@code *} the same with subscribers that
	 * cannot be counted, {@code -} polls, empty not queued. Returns
	 * {@code granted, number} or
	 * {@code busy, greatest number, rest of the first grant to end} or
	 * {@code differs, permits of the holders} or {@code closed}. A repeated request
	 * returns the same grant, kept at least for the requested time.
	 */
	static final Script<List<Object>> ACQUIRE = Script.load(Scripts.class, LOCK, "free.lua", HOLDERS, HANDOFF,
			"acquire.lua");

	/**
	 * End a claim: remove it from the queue, end its grant except the minimum hold, and
	 * serve the queue. KEYS and ARGV as for {@link #ACQUIRE} up to the time to keep a
	 * grant that is handed over, then the lifetime of the give-up marker, 0 for none.
	 * Returns 1 if the claim held the lock, 0 if not.
	 */
	static final Script<Long> CLOSE = Script.load(Scripts.class, LOCK, "sole.lua", HOLDERS, HANDOFF, "close.lua");

	/**
	 * Extend grants; never shorten or create one. KEYS for each: its lock, or the holders
	 * and their grant numbers. ARGV for each: {@code fence:claim}, time to keep it in
	 * milliseconds. Returns for each 1, or 0 if the grant is no longer valid.
	 */
	static final Script<List<Object>> RENEW = Script.load(Scripts.class, PRIMARY, HOLDERS, "renew.lua");

	/**
	 * Return the holders of a lock. KEYS as for {@link #ACQUIRE}. ARGV: empty, fencing
	 * retention, prefix of inboxes, empty. Returns {@code fence:claim} and the remaining
	 * time for each grant, and for each place that a minimum hold keeps.
	 */
	static final Script<List<Object>> INSPECT = Script.load(Scripts.class, LOCK, HOLDERS, HANDOFF, "inspect.lua");

	/**
	 * Release a lock by force and serve the queue. KEYS, ARGV and response as for
	 * {@link #INSPECT}.
	 */
	static final Script<List<Object>> FORCE = Script.load(Scripts.class, LOCK, HOLDERS, HANDOFF, "force.lua");

	private Scripts() {
	}

}
