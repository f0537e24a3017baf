package io.leasehold.service;

import java.util.List;
import java.util.stream.Collectors;

import io.leasehold.KeptLock;
import io.leasehold.LockHolder;
import io.leasehold.LockKey;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.LockEngine;
import io.leasehold.service.gate.FencingTokens;
import org.jspecify.annotations.Nullable;

/**
 * Conversion of the holders that a store reports to those that users and operators see.
 */
final class StoreHolders {

	/** Begin of the thread's name of an owner that pauses a key for an operator. */
	static final String PAUSE = "pause=";

	/** Maximum number of holders in a message. */
	private static final int MOST_NAMED = 3;

	private StoreHolders() {
	}

	/** Return how a key is kept; null if it is not, or if the engine cannot show it. */
	static @Nullable KeptLock kept(LockEngine engine, LockKey key) {
		KeptKeys keys = engine.keptKeys();
		KeptKeys.Kept kept = (keys != null) ? keys.find(key) : null;
		return (kept != null) ? describe(kept) : null;
	}

	/** Convert holders from the store's form to the public one. */
	static List<LockHolder> describe(List<Holder> holders) {
		return holders.stream()
			.map((holder) -> new LockHolder(holder.application(), holder.host(), holder.process(), holder.thread(),
					FencingTokens.first(holder.number()), holder.since(), holder.remaining(), holder.lingers()))
			.toList();
	}

	/** Name the holders in a sentence after others; empty if there is none. */
	static String name(List<LockHolder> holders) {
		if (holders.isEmpty()) {
			return "";
		}
		String named = holders.stream().limit(MOST_NAMED).map(LockHolder::toString).collect(Collectors.joining(", "));
		int others = holders.size() - MOST_NAMED;
		boolean lingers = holders.stream().anyMatch(LockHolder::lingers);
		return (lingers ? ". It is held, or kept for the next caller (linger), by " : ". It is held by ") + named
				+ ((others > 0) ? " and %s more".formatted(others) : "");
	}

	/** Convert a kept key from the store's form to the public one. */
	static KeptLock describe(KeptKeys.Kept kept) {
		LockHolder last = describe(List.of(kept.last())).get(0);
		return new KeptLock(last, kept.released(), kept.remaining(),
				last.thread().startsWith(PAUSE) ? last.thread().substring(PAUSE.length()) : null);
	}

}
