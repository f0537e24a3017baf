package io.leasehold.engine.redis;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.HeldKeys.HeldKey;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.redis.connection.Line;
import io.leasehold.engine.redis.connection.Lines;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Replies;
import org.jspecify.annotations.Nullable;

/**
 * Requests of operators: list the holders of a lock, release it by force, and show, open
 * and pause what a minimum hold keeps.
 *
 * @param lines lines to the primaries
 * @param namespace first part of all names in the store
 * @param retention fencing retention in milliseconds
 * @param notifications notifies claims that are granted a released lock
 */
record Operator(Lines lines, String namespace, String retention, Notifications notifications) {

	/**
	 * Value of a place that a minimum hold keeps after a release, perhaps without
	 * details.
	 */
	private static final Pattern PLACE = Pattern.compile("(\\d{1,18}):#\\S*(?: !?(?:(\\d{1,18}),(.*))?)?");

	/** Entry of the queue: lease, form and claim. */
	private static final Pattern QUEUED = Pattern.compile("\\d+[+*-](.*)");

	List<Holder> inspect(LockKey key, long deadline) {
		return holders(inspect(RedisKeys.of(this.namespace, key), arguments(), deadline));
	}

	private List<Object> inspect(RedisKeys keys, String[] arguments, long deadline) {
		return this.lines.request(keys.lock(), deadline,
				(line) -> line.run(Scripts.INSPECT, keys.all(), arguments, deadline));
	}

	/**
	 * Return the holders of locks of one server. A lock with data that Leasehold did not
	 * write has none.
	 * @param awaited whether to return also the waiting claims
	 * @param line line to the server
	 */
	List<HeldKey> inspectAll(List<RedisKeys> locks, boolean awaited, Line line, long deadline) {
		List<HeldKey> held = new ArrayList<>();
		if (locks.isEmpty()) {
			return held;
		}
		String[] arguments = Stream
			.concat(Stream.of(arguments()),
					Stream.of(Integer.toString(HeldKey.MOST_WAITERS - 1)).limit(awaited ? 1 : 0))
			.toArray(String[]::new);
		// The first one loads the script
		held.add(held(locks.get(0), awaited, inspectListed(locks.get(0), arguments, deadline)));
		List<RedisKeys> others = locks.subList(1, locks.size());
		List<CompletableFuture<List<Object>>> responses = others.stream()
			.map((keys) -> line.send(Scripts.INSPECT, keys.all(), arguments))
			.toList();
		for (int i = 0; i < others.size(); i++) {
			held.add(held(others.get(i), awaited, await(responses.get(i), others.get(i), arguments, deadline)));
		}
		return held;
	}

	private List<Object> await(CompletableFuture<List<Object>> response, RedisKeys keys, String[] arguments,
			long deadline) {
		try {
			return Replies.await(response, deadline);
		}
		catch (RedisFailure ex) {
			// Such as a script that is not loaded yet
			return inspectListed(keys, arguments, deadline);
		}
	}

	private List<Object> inspectListed(RedisKeys keys, String[] arguments, long deadline) {
		try {
			return inspect(keys, arguments, deadline);
		}
		catch (RedisFailure ex) {
			if (!ex.is("WRONGTYPE")) {
				throw ex;
			}
			return List.of();
		}
	}

	private static HeldKey held(RedisKeys keys, boolean awaited, List<Object> response) {
		LockKey key = Objects.requireNonNull(keys.key());
		if (!awaited || response.isEmpty()) {
			return new HeldKey(key, holders(response));
		}
		List<?> queue = (List<?>) response.get(1);
		List<Holder> waiters = new ArrayList<>();
		for (int i = 0; i < queue.size(); i += 2) {
			Matcher entry = QUEUED.matcher((String) queue.get(i));
			if (entry.matches()) {
				waiters.add(Holder.of(entry.group(1), 0, since((long) Double.parseDouble((String) queue.get(i + 1))),
						null));
			}
		}
		return new HeldKey(key, holders((List<?>) response.get(0)), waiters);
	}

	List<Holder> forceRelease(LockKey key, long deadline) {
		RedisKeys keys = RedisKeys.of(this.namespace, key);
		return holders(this.lines.request(keys.lock(), deadline, (line) -> {
			List<Object> response = this.notifications.run(Scripts.FORCE, line, keys, arguments(), deadline);
			notifyHolders(line, response);
			return response;
		}));
	}

	/**
	 * Find the place that a minimum hold keeps, and change it if wanted.
	 * @param action the last arguments of the script
	 * @param requests waits for replicas after a pause
	 */
	Optional<KeptKeys.Kept> kept(LockKey key, List<String> action, ClaimRequests requests, long deadline) {
		RedisKeys keys = RedisKeys.of(this.namespace, key);
		String[] arguments = Stream.concat(Stream.of(arguments()), action.stream()).toArray(String[]::new);
		List<Object> response = this.lines.request(keys.lock(), deadline, (line) -> {
			List<Object> kept = this.notifications.run(Scripts.KEPT, line, keys, arguments, deadline);
			if (action.get(0).equals(RedisKeptKeys.PAUSE) && !kept.isEmpty()) {
				requests.awaitReplicas(line, deadline);
			}
			return kept;
		});
		return response.isEmpty() ? Optional.empty()
				: Optional.of(kept((String) response.get(0), Duration.ofMillis((Long) response.get(1))));
	}

	/** Parse the value of a kept lock. */
	static KeptKeys.Kept kept(String value, Duration remaining) {
		Matcher place = PLACE.matcher(value);
		if (!place.matches()) {
			Grant grant = Grant.parse(value); // its lease has ended
			return new KeptKeys.Kept(last((grant != null) ? grant.claim() : "", (grant != null) ? grant.number() : 0),
					null, remaining);
		}
		long number = Long.parseLong(place.group(1));
		if (place.group(2) == null) { // not written by Leasehold
			return new KeptKeys.Kept(last("", number), since(number), remaining);
		}
		long released = Long.parseLong(place.group(2));
		return new KeptKeys.Kept(last(place.group(3), number), (released > 0) ? Instant.ofEpochMilli(released) : null,
				remaining);
	}

	private static Holder last(String token, long number) {
		return Holder.of(token, number, since(number), null);
	}

	private static Instant since(long number) {
		return Instant.EPOCH.plus(number, ChronoUnit.MICROS);
	}

	private String[] arguments() {
		return new String[] { "", this.retention, this.notifications.inboxPrefix(), "" };
	}

	/** Notify former holders, which otherwise detect the loss by their next renewal. */
	private void notifyHolders(Line line, List<Object> response) {
		for (int i = 0; i < response.size(); i += 2) {
			Grant grant = Grant.parse((String) response.get(i));
			if (grant != null && !ClaimName.isOwnerless(grant.claim())) {
				line.publish(this.notifications.inboxOf(grant), grant.revocation());
			}
		}
	}

	private static List<Holder> holders(List<?> response) {
		List<Holder> holders = new ArrayList<>();
		for (int i = 0; i < response.size(); i += 2) {
			Holder holder = holder((String) response.get(i), (Long) response.get(i + 1));
			if (holder != null) {
				holders.add(holder);
			}
		}
		holders.sort(Comparator.comparingLong(Holder::number));
		return holders;
	}

	/** Parse a holder; {@code null} for a minimum hold or lock delay without a holder. */
	private static @Nullable Holder holder(String value, long kept) {
		boolean lingers = value.endsWith("~");
		boolean reserved = lingers || value.endsWith("=");
		int marks = value.indexOf(' ');
		Grant grant = Grant.parse((marks >= 0) ? value.substring(0, marks) : value);
		String claim = (grant != null) ? grant.claim() : "";
		long number = (grant != null) ? grant.number() : 0;
		Duration rest = Duration.ofMillis(Math.max(0, kept)).minus(ClaimName.lockDelay(claim));
		if (ClaimName.isOwnerless(claim) || rest.isNegative()) {
			return null;
		}
		Holder holder = Holder.of(claim, number, since(number), rest);
		return reserved ? holder.withReserved(AcquisitionOutcome.Granted.RESERVED, lingers) : holder;
	}

}
