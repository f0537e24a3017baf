package io.leasehold.leadership;

import java.time.Duration;
import java.util.UUID;

import io.leasehold.test.contract.EngineAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of an engine that elects leaders: of two processes one leads, and the
 * other one follows it, however it ends.
 */
@Timeout(600)
public abstract class LeadershipContract {

	private String namespace;

	private LeadershipProcess leader;

	private LeadershipProcess other;

	private long term;

	/**
	 * Return where another process finds the store.
	 * @return an address whose opener is on the class path of the tests
	 */
	protected abstract EngineAddress address();

	@BeforeEach
	void elect() {
		this.namespace = "leaders-" + UUID.randomUUID();
		this.leader = start();
		this.term = this.leader.awaitTerm();
		this.other = start();
		assertThat(this.other.isLeader()).isFalse();
	}

	private LeadershipProcess start() {
		return LeadershipProcess.start(address(), this.namespace);
	}

	@AfterEach
	void close() {
		this.leader.close();
		this.other.close();
	}

	@Test
	void leaderThatStoodStillOrShutsDownIsFollowed() {
		this.leader.process.freeze();
		long next = this.other.awaitTerm();
		this.leader.process.wake();
		assertThat(this.leader.isLeader()).isFalse();
		assertThat(this.leader.awaitEnd()).isEqualTo("LOST");
		assertThat(next).isGreaterThan(this.term);
		this.other.stop();
		assertThat(this.other.isLeader()).isFalse();
		assertThat(this.leader.awaitTerm()).isGreaterThan(next);
	}

	@Test
	void leaderThatStepsDownOrIsKilledIsFollowed() {
		this.leader.stepDown(Duration.ofHours(1));
		assertThat(this.leader.awaitEnd()).isEqualTo("STEPPED_DOWN");
		assertThat(this.leader.isLeader()).isFalse();
		long next = this.other.awaitTerm();
		assertThat(next).isGreaterThan(this.term);
		try (LeadershipProcess last = start()) {
			this.other.process.kill();
			assertThat(last.awaitTerm()).isGreaterThan(next);
			assertThat(last.isLeader()).isTrue();
		}
	}

}
