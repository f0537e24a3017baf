package io.leasehold.engine.redis;

import java.util.List;

import io.leasehold.engine.redis.connection.Script;

/**
 * Atomic steps of the protocol, from Lua files next to this class. A server that is not a
 * primary rejects all scripts.
 */
final class Scripts {

	private static final String LOCK = "lock.lua";

	private static final String MARKS = "marks.lua";

	private static final String NOTIFY = NotifyingScript.NOTIFY;

	private static final String HOLDERS = "holders.lua";

	private static final String HANDOFF = "handoff.lua";

	/**
	 * Acquire an exclusive lock of which the store has no other data, for a claim's first
	 * request. KEYS: lock, greatest grant number. ARGV: claim, time to keep the grant,
	 * fencing retention; times in milliseconds; only for a grant that lingers, how many
	 * numbers after the grant number belong to it. Returns the grant number, or 0. Then
	 * nothing has changed and nothing is decided: {@link #ACQUIRE} has to follow.
	 */
	static final Script<Object> ACQUIRE_FREE = Script.load(Scripts.class, "acquire-free.lua");

	/**
	 * Release an exclusive lock of which the store has no other data. KEYS: lock. ARGV:
	 * claim. Returns 1, or 0. Then nothing has changed and nothing is decided:
	 * {@link #CLOSE} has to follow.
	 */
	static final Script<Long> RELEASE_SOLE = Script.load(Scripts.class, "release-sole.lua");

	/**
	 * Acquire the lock, or enqueue the claim. KEYS: lock, greatest grant number, queue,
	 * give-up markers, holders, their grant numbers. ARGV: claim, fencing retention,
	 * prefix of inboxes, time to keep a grant that is handed over, time to keep an
	 * immediate grant, queue form, lifetime of the queue; times in milliseconds. Queue
	 * forms: {@code +} notified by message, {@code *} the same with subscribers that
	 * cannot be counted, {@code -} polls, empty not queued. Returns
	 * {@code granted, number} or
	 * {@code busy, greatest number, rest of the first grant to end} and, if the owner's
	 * grant lingers, {@code number:claim} of that, or
	 * {@code differs, permits of the holders} or {@code closed}. A repeated request
	 * returns the same grant, kept at least for the requested time.
	 */
	static final NotifyingScript<List<Object>> ACQUIRE = NotifyingScript.load(LOCK, "free.lua", MARKS, "wait.lua",
			NOTIFY, HOLDERS, HANDOFF, "acquire.lua");

	/**
	 * End a claim: remove it from the queue, end its grant except the minimum hold, and
	 * serve the queue. KEYS and ARGV as for {@link #ACQUIRE} up to the time to keep a
	 * grant that is handed over, then the lifetime of the give-up marker, 0 for none.
	 * Returns 1 if the claim held the lock, 0 if not.
	 */
	static final NotifyingScript<Long> CLOSE = NotifyingScript.load(LOCK, NOTIFY, "sole.lua", MARKS, HOLDERS, HANDOFF,
			"close.lua");

	/**
	 * Extend a grant; never shorten or create one. KEYS: its lock, or the holders, their
	 * grant numbers and the greatest grant number. ARGV: {@code number:claim}, time to
	 * keep it in milliseconds. Returns 1, or 0 if the grant is no longer valid.
	 */
	static final Script<Object> RENEW = Script.load(Scripts.class, HOLDERS, "renew.lua");

	/**
	 * Extend grants, with the KEYS and ARGV of all. Returns a list with the response for
	 * each. The only script that computes the numbers of its keys, which some services
	 * reject.
	 */
	static final Script<Object> RENEW_EACH = Script.load(Scripts.class, HOLDERS, "renew-each-begin.lua", "renew.lua",
			"renew-each-end.lua");

	/**
	 * Return the holders of a lock. KEYS as for {@link #ACQUIRE}. ARGV: empty, fencing
	 * retention, prefix of inboxes, empty. Returns {@code number:claim} and the remaining
	 * time for each grant, and for each place that a minimum hold keeps after a release.
	 * With a further argument, the index of the last claim in the queue to return,
	 * returns this list and one of queue entries and times of the requests in
	 * microseconds.
	 */
	static final Script<List<Object>> INSPECT = Script.load(Scripts.class, LOCK, NotifyingScript.NOTIFY_BY_CLIENT,
			MARKS, HOLDERS, HANDOFF, "inspect.lua");

	/**
	 * Release a lock by force and serve the queue. KEYS, ARGV and response as for
	 * {@link #INSPECT}.
	 */
	static final NotifyingScript<List<Object>> FORCE = NotifyingScript.load(LOCK, NOTIFY, MARKS, HOLDERS, HANDOFF,
			"force.lua");

	/**
	 * Return the place of an exclusive lock that only a minimum hold keeps. KEYS and ARGV
	 * as for {@link #INSPECT}, then {@code inspect}, {@code open} to end the minimum
	 * hold, or {@code pause}, the new last holder and its minimum hold in milliseconds to
	 * replace it. Returns the former value of the lock and its remaining time, or nothing
	 * if the lock is held or free.
	 */
	static final NotifyingScript<List<Object>> KEPT = NotifyingScript.load(LOCK, NOTIFY, MARKS, HOLDERS, HANDOFF,
			"kept.lua");

	private Scripts() {
	}

}
