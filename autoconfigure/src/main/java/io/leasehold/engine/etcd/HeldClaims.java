package io.leasehold.engine.etcd;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.leasehold.LockKey;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.support.KeyNames;
import io.leasehold.engine.support.StoreCalls;
import org.jspecify.annotations.Nullable;

/**
 * List of the held keys, by one range of claims in the order of their names. A position
 * is the name of a lock.
 *
 * @param operator requests the holders of a lock whose claims do not fit into the range,
 * and searches for ended sessions
 */
record HeldClaims(Store store, EtcdKeys keys, Operator operator, StoreCalls calls) implements HeldKeys {

	private static final int MOST_CLAIMS = 1000;

	@Override
	public Page list(String prefix, @Nullable String after, int limit) {
		return this.calls.run("list the held locks", null, (deadline) -> list(prefix, after, limit, false, deadline));
	}

	@Override
	public Page listAwaited(@Nullable String after, int limit) {
		return this.calls.run("list the awaited locks", null, (deadline) -> list("", after, limit, true, deadline));
	}

	private Page list(String prefix, @Nullable String after, int limit, boolean awaited, long deadline)
			throws EtcdException {
		if (after != null && !after.startsWith(EtcdKeys.escape(prefix))) {
			throw HeldKeys.noPosition(after);
		}
		String root = this.keys.claims();
		String first = root + EtcdKeys.escape(prefix);
		String begin = (after != null) ? KeyValue.rangeEnd(root + after + "/") : first;
		Message range = this.store.range(Operation.page(begin, KeyValue.rangeEnd(root), MOST_CLAIMS), deadline);
		List<KeyValue> claims = Reply.keysOf(range);
		Map<String, List<KeyValue>> locks = new LinkedHashMap<>();
		// A key without a slash after the name of a lock is no claim's
		claims.stream()
			.takeWhile((claim) -> claim.key().startsWith(first))
			.filter((claim) -> claim.key().indexOf('/', root.length()) >= 0)
			.forEach((claim) -> locks.computeIfAbsent(name(claim), (name) -> new ArrayList<>()).add(claim));
		String incomplete = (Reply.hasMore(range) && claims.get(claims.size() - 1).key().startsWith(first))
				? name(claims.get(claims.size() - 1)) : null;
		Set<Long> endedSessions = this.operator.endedSessions(claims, deadline);
		List<HeldKey> held = new ArrayList<>();
		String last = null;
		for (Map.Entry<String, List<KeyValue>> lock : locks.entrySet()) {
			if (held.size() == limit) {
				return new Page(held, last);
			}
			last = lock.getKey();
			LockKey key = KeyNames.parse(last, StandardCharsets.ISO_8859_1);
			if (key != null) {
				HeldKey found = last.equals(incomplete) ? this.operator.find(key, awaited, deadline)
						: Operator.held(key, lock.getValue(), awaited, endedSessions);
				if (found.isListed(awaited)) {
					held.add(found);
				}
			}
		}
		return new Page(held, incomplete);
	}

	/** Return the name of a claim's lock, which contains no slash. */
	private String name(KeyValue claim) {
		int begin = this.keys.claims().length();
		int end = claim.key().indexOf('/', begin);
		return claim.key().substring(begin, (end >= 0) ? end : claim.key().length());
	}

}
