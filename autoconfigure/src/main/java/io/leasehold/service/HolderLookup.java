package io.leasehold.service;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;

import io.leasehold.HeldLock;
import io.leasehold.KeptLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockHolder;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.LockEngine;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Query for the holders of a busy key, whom the exception of a caller names. Concurrent
 * callers of a key share one request.
 */
final class HolderLookup {

	private static final Log logger = LogFactory.getLog(HolderLookup.class);

	private final LockEngine engine;

	private final HolderReport report;

	private final ConcurrentMap<LockKey, CompletableFuture<List<LockHolder>>> requests = new ConcurrentHashMap<>();

	HolderLookup(LockEngine engine, HolderReport report) {
		this.engine = engine;
		this.report = report;
	}

	/**
	 * Return an exception that also names the key's holders and the caller's own locks.
	 * Blocks at most for one request of the engine.
	 * @param busy the exception, returned unchanged if there is nothing to add
	 * @param outer the locks under which the caller runs, innermost first
	 * @param deadlock the cycle of waits to which the caller belongs, may be empty
	 */
	LockBusyException explain(LockBusyException busy, LockOptions options, List<HeldLock> outer, String deadlock) {
		if (this.report == HolderReport.NEVER
				|| this.report == HolderReport.AFTER_WAIT && options.waitTime().isZero()) {
			return busy;
		}
		LockKey key = new LockKey(Objects.requireNonNull(busy.getKey()));
		List<LockHolder> holders = holders(key);
		List<String> ownKeys = outer.stream().filter(HeldLock::isValid).map(HeldLock::key).distinct().toList();
		if (holders.isEmpty() && ownKeys.isEmpty()) {
			return busy;
		}
		LockBusyException explained = new LockBusyException(key, busy.getMessage() + StoreHolders.name(holders)
				+ nameOwnLocks(ownKeys) + (deadlock.isEmpty() ? "" : ". " + deadlock), busy.getWaited(), holders,
				ownKeys);
		for (Throwable suppressed : busy.getSuppressed()) {
			explained.addSuppressed(suppressed);
		}
		return explained;
	}

	/**
	 * Log who holds the lock of a caller that treats a busy lock as a regular result, at
	 * level DEBUG only.
	 */
	LockBusyException logged(LockBusyException busy) {
		if (logger.isDebugEnabled()) {
			logger.debug(busy.getMessage() + describe(new LockKey(Objects.requireNonNull(busy.getKey()))));
		}
		return busy;
	}

	/**
	 * Describe the holders of a key, or who keeps it between two runs, in a sentence
	 * after others. Blocks at most for two requests of the engine.
	 * @return the description, empty if it is not known or not wanted
	 */
	String describe(LockKey key) {
		if (this.report == HolderReport.NEVER) {
			return "";
		}
		List<LockHolder> holders = holders(key);
		KeptLock kept = holders.isEmpty() ? kept(key) : null;
		return (kept != null) ? ". It is " + kept : StoreHolders.name(holders);
	}

	private @Nullable KeptLock kept(LockKey key) {
		try {
			return StoreHolders.kept(this.engine, key);
		}
		catch (RuntimeException | Error ex) {
			unreadable(key, ex);
			return null;
		}
	}

	private List<LockHolder> holders(LockKey key) {
		CompletableFuture<List<LockHolder>> own = new CompletableFuture<>();
		CompletableFuture<List<LockHolder>> running = this.requests.putIfAbsent(key, own);
		if (running != null) {
			return running.join();
		}
		try {
			own.complete(StoreHolders.describe(this.engine.inspect(key)));
		}
		catch (RuntimeException | Error ex) {
			unreadable(key, ex);
		}
		finally {
			this.requests.remove(key);
			own.complete(List.of());
		}
		return own.join();
	}

	private void unreadable(LockKey key, Throwable failure) {
		logger.debug("The holders of lock '%s' could not be read (engine: %s)".formatted(key, this.engine.name()),
				failure);
	}

	private static String nameOwnLocks(List<String> keys) {
		return keys.isEmpty() ? ""
				: keys.stream()
					.map((key) -> "'%s'".formatted(LockKey.readable(key)))
					.collect(Collectors.joining(", ", ". The caller itself holds ", ""));
	}

}
