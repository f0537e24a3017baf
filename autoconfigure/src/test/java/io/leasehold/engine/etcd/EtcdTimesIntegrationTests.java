package io.leasehold.engine.etcd;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.LockKey;
import io.leasehold.LockTerms;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys.Kept;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.server.FaultProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Times that {@link EtcdLockEngine} shows, by the wall clock of its process.
 */
@Tag("full")
@Timeout(60)
class EtcdTimesIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private final EtcdEngines engines = new EtcdEngines();

	private final String url = EtcdTestServer.shared().url();

	private final EtcdLockEngine other = this.engines.engine(this.url);

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	/** The store responds late to the requests that begin the session. */
	@Test
	void grantIsNotShownLaterThanItWas() {
		FaultProxy proxy = this.engines.proxy();
		proxy.replies().delay(Duration.ofMillis(200));
		EtcdLockEngine engine = this.engines.engine(EtcdEngines.url(proxy));
		Instant before = Instant.now();
		EtcdEngines.granted(engine, this.engines.claim(KEY));
		assertThat(since()).isBetween(before.minusMillis(2), Instant.now());
	}

	/** As by an operator, or by the first contact with a time server. */
	@Test
	void timesFollowAWallClockThatIsSetDuringASession() {
		AtomicLong ahead = new AtomicLong();
		EtcdLockEngine engine = this.engines.engine(Duration.ofMinutes(2), new MonotonicClock() {

			@Override
			public long nanoTime() {
				return System.nanoTime();
			}

			@Override
			public long wallClockOffset(long now) {
				return MonotonicClock.SYSTEM.wallClockOffset(now) + ahead.get();
			}

		}, this.url);
		EtcdEngines.granted(engine, this.engines.claim(new LockKey("first")));
		Duration hour = Duration.ofHours(1);
		ahead.set(hour.toNanos());
		Instant before = Instant.now().plus(hour);
		Claim claim = this.engines.claim(KEY, new LockTerms(Duration.ofSeconds(30), Duration.ofMinutes(5)));
		EtcdEngines.granted(engine, claim);
		Instant since = since();
		assertThat(since).isBetween(before.minusMillis(2), Instant.now().plus(hour));
		ahead.set(2 * hour.toNanos());
		engine.release(claim);
		Kept kept = this.other.keptKeys().find(KEY);
		assertThat(kept.last().since()).isEqualTo(since);
		assertThat(kept.released()).isBetween(before.plus(hour).minusMillis(2), Instant.now().plus(hour).plus(hour));
	}

	private Instant since() {
		return this.other.inspect(KEY).stream().map(Holder::since).findFirst().orElseThrow();
	}

}
