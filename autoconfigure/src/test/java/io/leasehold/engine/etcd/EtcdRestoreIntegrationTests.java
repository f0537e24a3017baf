package io.leasehold.engine.etcd;

import java.time.Duration;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link EtcdLockEngine} on a server whose data is replaced by an earlier copy.
 */
@Tag("full")
class EtcdRestoreIntegrationTests {

	private static final LockKey BEFORE = new LockKey("before");

	private static final LockKey AFTER = new LockKey("after");

	private final EtcdEngines engines = new EtcdEngines();

	private EtcdTestServer server;

	private EtcdLockEngine early;

	private Claim kept;

	private Granted keptGrant;

	@BeforeEach
	void acquireBeforeTheCopyIsMade() {
		this.server = this.engines.open(EtcdTestServer.start());
		this.early = engine();
		this.kept = claim(BEFORE);
		this.keptGrant = EtcdEngines.granted(this.early, this.kept);
		this.server.backUp();
	}

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	/** The copy knows one session, but not its later lock, and not the other session. */
	@Fault(159)
	@Test
	void locksOfAfterTheCopyAreLostAndOthersAreKept() {
		EtcdLockEngine late = engine();
		Claim one = claim(AFTER);
		EtcdEngines.eventually().ignoreExceptions().until(() -> this.early.tryAcquire(one) instanceof Granted);
		Granted oneGrant = EtcdEngines.granted(this.early, one);
		Claim two = claim(new LockKey("another"));
		Granted twoGrant = EtcdEngines.granted(late, two);
		awaitWatches();
		this.server.restore();
		EtcdEngines.eventually()
			.until(() -> EtcdEngines.renew(this.early, one, oneGrant) instanceof RenewalOutcome.NotOwner);
		EtcdEngines.eventually().until(() -> late.inDoubt(two));
		assertThat(EtcdEngines.renew(late, two, twoGrant)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(this.early.release(one)).isNotInstanceOf(ReleaseOutcome.Released.class);
		assertThat(late.release(two)).isNotInstanceOf(ReleaseOutcome.Released.class);
		assertThat(EtcdEngines.renew(this.early, this.kept, this.keptGrant)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.early.release(this.kept)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(EtcdEngines.granted(late, claim(BEFORE)).number()).isGreaterThan(this.keptGrant.number());
	}

	/** As the manual says. */
	@Test
	void fencingTokensOfAfterTheCopyAreUsedAgain() {
		EtcdLockEngine late = engine();
		Claim first = claim(AFTER);
		long number = EtcdEngines.granted(late, first).number();
		for (int i = 0; i < 20; i++) {
			late.release(first);
			number = EtcdEngines.granted(late, first).number();
		}
		this.server.restore();
		EtcdLockEngine next = engine();
		assertThat(EtcdEngines.granted(next, claim(AFTER)).number()).isLessThan(number);
	}

	/**
	 * Wait until both sessions are watched: a watch that is opened after the restore has
	 * nothing to report.
	 */
	private void awaitWatches() {
		EtcdEngines.eventually().until(() -> EtcdOperator.watches(this.server.url()) == 2);
	}

	private Claim claim(LockKey key) {
		return this.engines.claim(key, Access.EXCLUSIVE, Duration.ofMinutes(10));
	}

	/** Its session does not end during the test. */
	private EtcdLockEngine engine() {
		return this.engines.engine(Duration.ofMinutes(30), MonotonicClock.SYSTEM, this.server.url());
	}

}
