package io.leasehold.engine.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * An atomic step of the protocol, from a file beside this class. A server that is no
 * primary refuses all of them.
 *
 * @param <T> type of the answer
 * @param text the Lua text
 * @param digest what the server knows it by
 */
record Script<T>(String text, String digest) {

	private static final String LOCK = "lock.lua";

	private static final String HOLDERS = "holders.lua";

	private static final String HANDOFF = "handoff.lua";

	private static final String PRIMARY = "primary.lua";

	/**
	 * Asks for the lock. KEYS: lock, fence, queue, give-up marker, holders, their fences.
	 * ARGV: claim, fencing retention, prefix of inboxes, time to keep a grant that is
	 * handed over, time to keep one now, form to queue in ({@code +} to be told of the
	 * grant, {@code *} to be told by a message whose listeners cannot be counted,
	 * {@code -} to find out by polling, empty not to queue), lifetime of the queue; times
	 * in milliseconds. Returns {@code granted, fence} or
	 * {@code busy, greatest fence granted, rest of the first grant to end} or
	 * {@code differs, permits of those who hold it} or {@code closed}. Repeated by the
	 * claim it returns the same grant, kept for at least the time asked for.
	 */
	static final Script<List<Object>> ACQUIRE = load(LOCK, "free.lua", HOLDERS, HANDOFF, "acquire.lua");

	/**
	 * Ends a claim: takes it from the queue, ends its grant but for its min hold, and
	 * serves the queue. KEYS and ARGV as before up to the time to keep a grant that is
	 * handed over, then the lifetime of the give-up marker, 0 for none. Returns 1 if the
	 * claim had the lock, 0 if not.
	 */
	static final Script<Long> CLOSE = load(LOCK, "sole.lua", HOLDERS, HANDOFF, "close.lua");

	/**
	 * Extends grants, never shortens or creates one. KEYS for each: its lock, or holders
	 * and fences. ARGV for each: {@code fence:claim}, time to keep it in milliseconds.
	 * Returns for each 1, or 0 if the grant is no longer in force.
	 */
	static final Script<List<Object>> RENEW = load(PRIMARY, HOLDERS, "renew.lua");

	/**
	 * Tells who has a lock. KEYS as for {@link #ACQUIRE}. ARGV: nothing, fencing
	 * retention, prefix of inboxes, nothing. Returns {@code fence:claim} and the rest of
	 * its time for each grant, and for each place that a min hold keeps.
	 */
	static final Script<List<Object>> INSPECT = load(LOCK, HOLDERS, HANDOFF, "inspect.lua");

	/**
	 * Releases a lock in place of its owners and serves the queue. KEYS, ARGV and answer
	 * as for {@link #INSPECT}.
	 */
	static final Script<List<Object>> FORCE = load(LOCK, HOLDERS, HANDOFF, "force.lua");

	private static <T> Script<T> load(String... files) {
		StringBuilder text = new StringBuilder();
		for (String file : files) {
			text.append(read(file));
		}
		return new Script<>(text.toString(), digest(text.toString()));
	}

	private static String digest(String text) {
		try {
			return HexFormat.of()
				.formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String read(String file) {
		try (InputStream in = Script.class.getResourceAsStream(file)) {
			if (in == null) {
				throw new IllegalStateException("No script %s beside %s".formatted(file, Script.class));
			}
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
