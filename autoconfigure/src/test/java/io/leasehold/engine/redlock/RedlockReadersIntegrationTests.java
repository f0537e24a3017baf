package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.redlock.RedlockCluster.Process;
import io.leasehold.server.FaultProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Readers that hold a lock at the same time, by different majorities.
 */
class RedlockReadersIntegrationTests {

	private static final Duration PATIENT = Duration.ofSeconds(20);

	private final RedlockTestMasters masters = RedlockTestMasters.start(3);

	private final RedlockCluster cluster = new RedlockCluster(this.masters);

	private final Process one = this.cluster.process(3, Duration.ZERO, PATIENT);

	private final Process other = this.cluster.process(3, Duration.ZERO, PATIENT);

	@AfterEach
	void close() {
		this.cluster.close();
		this.masters.close();
	}

	/**
	 * The first and the last master give the same number, one to each reader. The other
	 * reader writes it to the master between them before the one reader does.
	 */
	@Test
	void readersNeverHaveTheSameNumber() {
		long last = this.one.number("k") + 1_000_000;
		for (int master : new int[] { 0, 2 }) {
			this.masters.operator(master).set(this.cluster.names("k").number(), Long.toString(last));
		}
		this.one.cut(2);
		this.other.cut(0);
		Claim reader = this.one.reader("k");
		Claim otherReader = this.other.reader("k");
		CompletableFuture<Granted> meanwhile = new CompletableFuture<>();
		FaultProxy.Valve replies = this.one.network().get(0).replies();
		replies.beforeEach(() -> {
			replies.beforeEach(() -> {
			});
			meanwhile.complete(this.other.granted(otherReader));
		});
		Granted granted = this.one.granted(reader);
		assertThat(meanwhile.join().number()).isEqualTo(last + 1);
		assertThat(granted.number()).isGreaterThan(last + 1);
		assertThat(this.one.engine().release(reader)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(this.other.engine().release(otherReader)).isInstanceOf(ReleaseOutcome.Released.class);
	}

}
