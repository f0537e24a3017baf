package io.leasehold.test.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.leasehold.engine.Subscription;
import io.leasehold.engine.cas.CompareAndSetStore;
import io.leasehold.engine.cas.CompareAndSetStore.Entry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a {@link CompareAndSetStore}, with one short subclass for each store.
 * An engine on the store has to pass {@link SharedLockEngineContract}, or
 * {@link LockEngineContract} if no other process can reach the store.
 */
@Timeout(600)
public abstract class CompareAndSetStoreContract {

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final int LONGEST_KEY = 240;

	private final String prefix = "store-" + UUID.randomUUID() + ":";

	private final String key = this.prefix + "order:42";

	private final List<CompareAndSetStore> stores = new ArrayList<>();

	/**
	 * Connect to the store as another process would. A store that is closeable is closed
	 * at the end of the test.
	 * @return a separate connection
	 */
	protected abstract CompareAndSetStore connect();

	@AfterEach
	void disconnect() throws Exception {
		for (CompareAndSetStore store : this.stores) {
			if (store instanceof AutoCloseable closeable) {
				closeable.close();
			}
		}
	}

	@Test
	void entryIsCreatedOnceAndReadByAll() throws Exception {
		CompareAndSetStore one = store();
		CompareAndSetStore other = store();
		assertThat(one.read(this.key)).isNull();
		assertThat(one.create(this.key, "first", LONG)).isTrue();
		assertThat(other.create(this.key, "second", LONG)).isFalse();
		assertThat(valueOf(other, this.key)).isEqualTo("first");
		assertThat(valueOf(one, this.key)).isEqualTo("first");
	}

	@Test
	void entryIsReplacedOnlyAsItWasRead() throws Exception {
		CompareAndSetStore one = store();
		CompareAndSetStore other = store();
		one.create(this.key, "first", LONG);
		Entry readByOne = entry(one);
		Entry readByOther = entry(other);
		assertThat(one.replace(this.key, readByOne, "second", LONG)).isTrue();
		assertThat(other.replace(this.key, readByOther, "third", LONG)).isFalse();
		assertThat(one.replace(this.key, readByOne, "fourth", LONG)).isFalse();
		assertThat(valueOf(other, this.key)).isEqualTo("second");
		assertThat(other.replace(this.key, entry(other), "third", LONG)).isTrue();
		assertThat(valueOf(one, this.key)).isEqualTo("third");
	}

	@Test
	void absentEntryIsNotReplaced() throws Exception {
		CompareAndSetStore one = store();
		one.create(this.key, "first", LONG);
		Entry entry = entry(one);
		assertThat(one.replace(this.prefix + "another", entry, "second", LONG)).isFalse();
		assertThat(one.read(this.prefix + "another")).isNull();
	}

	@Test
	void keysAreDifferentAsTheirTextIs() throws Exception {
		CompareAndSetStore one = store();
		String longest = "x".repeat(LONGEST_KEY - this.prefix.length() - 1);
		List<String> keys = List.of("a", "A", "a/b", "a:b", "%00", "*", "{a}", "a'\"\\", longest + "a", longest + "b");
		for (String each : keys) {
			assertThat(one.create(this.prefix + each, "of " + each, LONG)).as(each).isTrue();
		}
		for (String each : keys) {
			assertThat(valueOf(store(), this.prefix + each)).isEqualTo("of " + each);
		}
	}

	@Test
	void longValueIsKept() throws Exception {
		String text = "shop@web-3:4711:0f3a/main 42\n".repeat(2400);
		CompareAndSetStore one = store();
		one.create(this.key, text, LONG);
		assertThat(valueOf(store(), this.key)).isEqualTo(text);
	}

	/** Entries never expire early, and within seconds if the store is punctual. */
	@Test
	void entryEndsAfterItsTimeToLive() throws Exception {
		CompareAndSetStore one = store();
		Duration timeToLive = Duration.ofSeconds(3);
		Duration kept = timeToLive.minusSeconds(1); // the engine adds a second
		long created = System.nanoTime();
		one.create(this.key, "first", timeToLive);
		String replaced = this.prefix + "replaced";
		one.create(replaced, "first", LONG);
		assertThat(one.replace(replaced, Objects.requireNonNull(one.read(replaced)), "second", timeToLive)).isTrue();
		String prolonged = this.prefix + "prolonged";
		eventually().until(() -> {
			one.create(prolonged, "first", timeToLive);
			Entry brief = one.read(prolonged); // over if the machine paused
			return brief != null && one.replace(prolonged, brief, "second", LONG);
		});
		while (true) {
			boolean present = one.read(this.key) != null && one.read(replaced) != null;
			long elapsed = System.nanoTime() - created;
			if (elapsed >= kept.toNanos()) {
				break;
			}
			assertThat(present).as("after %d ms", elapsed / 1_000_000).isTrue();
		}
		if (one.isPunctual()) {
			eventually().until(() -> one.read(this.key) == null && one.read(replaced) == null);
		}
		assertThat(valueOf(one, prolonged)).isEqualTo("second");
	}

	@Test
	void raceForAnEntryHasOneWinnerEachTime() throws Exception {
		List<CompareAndSetStore> racers = List.of(store(), store(), store(), store());
		racers.get(0).create(this.key, "0", LONG);
		List<Callable<Void>> runs = new ArrayList<>();
		for (CompareAndSetStore racer : racers) {
			runs.add(() -> {
				for (int won = 0; won < 25;) {
					Entry entry = entry(racer);
					String next = Integer.toString(Integer.parseInt(entry.value()) + 1);
					won += racer.replace(this.key, entry, next, LONG) ? 1 : 0;
				}
				return null;
			});
		}
		Parallel.run(runs);
		assertThat(valueOf(racers.get(0), this.key)).isEqualTo("100");
	}

	@Test
	void interruptedThreadIsServedAndStaysInterrupted() throws Exception {
		CompareAndSetStore one = store();
		assertThat(one.read(this.key)).isNull();
		Thread.currentThread().interrupt();
		try {
			assertThat(one.create(this.key, "first", LONG)).isTrue();
			assertThat(one.replace(this.key, entry(one), "second", LONG)).isTrue();
		}
		finally {
			assertThat(Thread.interrupted()).isTrue();
		}
		assertThat(valueOf(one, this.key)).isEqualTo("second");
	}

	/** Does nothing if the store does not report changes. */
	@Test
	void changesAreReported() throws Exception {
		CompareAndSetStore one = store();
		CountDownLatch created = new CountDownLatch(1);
		CountDownLatch replaced = new CountDownLatch(2);
		Subscription subscription = one.watch(this.key, () -> {
			created.countDown();
			replaced.countDown();
		});
		if (subscription == null) {
			return;
		}
		try (subscription) {
			CompareAndSetStore other = store();
			other.create(this.key, "first", LONG);
			assertThat(created.await(1, TimeUnit.MINUTES)).isTrue();
			other.replace(this.key, entry(other), "second", LONG);
			assertThat(replaced.await(1, TimeUnit.MINUTES)).isTrue();
		}
	}

	private CompareAndSetStore store() {
		CompareAndSetStore store = connect();
		this.stores.add(store);
		return store;
	}

	private Entry entry(CompareAndSetStore store) throws Exception {
		return Objects.requireNonNull(store.read(this.key));
	}

	private static String valueOf(CompareAndSetStore store, String key) throws Exception {
		return Objects.requireNonNull(store.read(key)).value();
	}

	private static ConditionFactory eventually() {
		return Awaitility.await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(20));
	}

}
