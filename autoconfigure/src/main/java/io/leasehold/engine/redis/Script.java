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

	private static final String HANDOFF = "handoff.lua";

	private static final String PRIMARY = "primary.lua";

	/**
	 * Asks for the lock. KEYS: lock, fence, queue, give-up marker. ARGV: owner, fencing
	 * retention, prefix of inboxes, grant lease, lease asked for, form to queue in
	 * ({@code +} to be told of the grant, {@code *} to be told by a message whose
	 * listeners cannot be counted, {@code -} to find out by polling, empty not to queue),
	 * lifetime of the queue; times in milliseconds. Returns {@code granted, fence} or
	 * {@code busy, fence, rest of its lease} or {@code closed}. Repeated by the owner it
	 * returns the same grant, with at least the lease asked for.
	 */
	static final Script<List<Object>> ACQUIRE = load(HANDOFF, "acquire.lua");

	/**
	 * Ends a claim: takes it from the queue, frees the lock if its owner has it, and
	 * hands the lock to the next in the queue. KEYS and ARGV as before up to the grant
	 * lease, then the lifetime of the give-up marker, 0 for none. Returns 1 if the owner
	 * had the lock, 0 if not.
	 */
	static final Script<Long> CLOSE = load(HANDOFF, "close.lua");

	/**
	 * Extends grants, never shortens or creates one. KEYS: locks. ARGV for each:
	 * {@code fence:owner}, lease in milliseconds. Returns for each 1, or 0 if the grant
	 * is no longer in force.
	 */
	static final Script<List<Object>> RENEW = load(PRIMARY, "renew.lua");

	/**
	 * Tells who has a lock. KEYS: lock. Returns {@code fence:owner}, rest of its lease.
	 */
	static final Script<List<Object>> INSPECT = load(PRIMARY, "inspect.lua");

	/**
	 * Releases a lock in place of its owner and hands it to the next in the queue. KEYS:
	 * lock, fence, queue. ARGV: nothing, fencing retention, prefix of inboxes, nothing.
	 * Returns what {@link #INSPECT} would have returned before.
	 */
	static final Script<List<Object>> FORCE = load(HANDOFF, "force.lua");

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
