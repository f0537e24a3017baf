package io.leasehold.leadership;

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
		String namespace = "leaders-" + UUID.randomUUID();
		this.leader = LeadershipProcess.start(address(), namespace);
		this.term = this.leader.awaitTerm();
		this.other = LeadershipProcess.start(address(), namespace);
		assertThat(this.other.isLeader()).isFalse();
	}

	@AfterEach
	void close() {
		this.leader.close();
		this.other.close();
	}

	@Test
	void leaderThatIsKilledIsFollowed() {
		this.leader.process.kill();
		assertThat(this.other.awaitTerm()).isGreaterThan(this.term);
		assertThat(this.other.isLeader()).isTrue();
	}

	@Test
	void leaderThatStoodStillLeadsNoMore() {
		this.leader.process.freeze();
		long next = this.other.awaitTerm();
		this.leader.process.wake();
		assertThat(this.leader.isLeader()).isFalse();
		assertThat(this.leader.awaitEnd()).isEqualTo("LOST");
		assertThat(next).isGreaterThan(this.term);
		this.other.stop();
		assertThat(this.leader.awaitTerm()).isGreaterThan(next);
	}

	@Test
	void leaderThatStepsDownIsFollowed() {
		this.leader.stepDown();
		assertThat(this.leader.awaitEnd()).isEqualTo("STEPPED_DOWN");
		assertThat(this.leader.isLeader()).isFalse();
		assertThat(this.other.awaitTerm()).isGreaterThan(this.term);
	}

	@Test
	void leaderThatShutsDownIsFollowed() {
		this.leader.stop();
		assertThat(this.leader.isLeader()).isFalse();
		assertThat(this.other.awaitTerm()).isGreaterThan(this.term);
	}

}
