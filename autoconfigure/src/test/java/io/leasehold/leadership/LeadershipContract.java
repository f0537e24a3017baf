package io.leasehold.leadership;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.leasehold.test.contract.EngineAddress;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The contract of an engine that elects leaders: of two processes one leads, and the
 * other one follows it, however it ends. Each process writes every few milliseconds
 * whether it leads, and no two of them do at the same time.
 */
public abstract class LeadershipContract {

	/** Long enough for a process that gets little time on a busy machine to renew it. */
	private static final Duration LEASE = Duration.ofSeconds(6);

	private final String namespace = "leaders-" + UUID.randomUUID();

	private final List<Place> places = new ArrayList<>();

	@TempDir
	private Path folder;

	private Place leader;

	private Place other;

	private long term;

	/** Return the ports of the servers of the store. */
	protected abstract List<Integer> ports();

	/**
	 * Return where another process finds the store.
	 * @param ports ports that lead to the servers
	 * @return an address whose opener is on the class path of the tests
	 */
	protected abstract EngineAddress address(List<Integer> ports);

	/** Remove all data of a namespace from the store. */
	protected abstract void empty(String namespace) throws Exception;

	/**
	 * Any of the two may lead: a busy machine can pause one for longer than its lease.
	 */
	@BeforeEach
	void elect() {
		Place first = new Place();
		awaitTermAfter(0, first);
		Place second = new Place();
		second.jvm.term(); // has begun
		this.leader = await().until(() -> first.jvm.isLeader() ? first : second, (place) -> place.jvm.isLeader());
		this.other = (this.leader == first) ? second : first;
		this.term = this.leader.jvm.term();
	}

	/** Wait until a place has a greater term than a former one, and return it. */
	private static long awaitTermAfter(long former, Place place) {
		return await().until(place.jvm::term, (term) -> term > former);
	}

	@AfterEach
	void close() throws IOException {
		for (Place place : this.places) {
			place.jvm.close();
			place.network.close();
		}
	}

	@Test
	void leaderThatStoodStillOrShutsDownIsFollowed() throws IOException {
		this.leader.jvm.process.freeze();
		long next = awaitTermAfter(this.term, this.other);
		this.leader.jvm.process.wake();
		assertThat(this.leader.jvm.isLeader()).isFalse();
		assertThat(this.leader.jvm.awaitEnd()).isEqualTo("LOST");
		this.other.jvm.stop();
		assertThat(this.other.jvm.isLeader()).isFalse();
		awaitTermAfter(next, this.leader);
		assertThat(contradictions()).isEmpty();
	}

	@Test
	void leaderThatStepsDownOrIsKilledIsFollowed() throws IOException {
		this.leader.jvm.stepDown(Duration.ofHours(1));
		assertThat(this.leader.jvm.awaitEnd()).isEqualTo("STEPPED_DOWN");
		assertThat(this.leader.jvm.isLeader()).isFalse();
		long next = awaitTermAfter(this.term, this.other);
		Place last = new Place();
		this.other.jvm.process.kill();
		awaitTermAfter(next, last);
		assertThat(contradictions()).isEmpty();
	}

	/** After a release by force, the former leader may lead until its next renewal. */
	@Test
	@Fault({ 195, 196, 197 })
	void leaderThatIsCutOffOrReleasedByForceIsFollowedAndSoIsAnEmptyStore() throws Exception {
		this.leader.network.cut();
		long next = awaitTermAfter(this.term, this.other);
		assertThat(this.leader.jvm.isLeader()).isFalse();
		this.leader.network.heal();
		assertThat(this.leader.jvm.awaitEnd()).isEqualTo("LOST");
		this.places.forEach((place) -> place.network.refuse());
		await().until(() -> term() == 0);
		empty(this.namespace);
		this.places.forEach((place) -> place.network.heal());
		await().until(() -> term() > next);
		assertThat(contradictions()).isEmpty();
		long last = term();
		LeadershipProcess follower = this.leader.jvm.isLeader() ? this.other.jvm : this.leader.jvm;
		follower.releaseByForce();
		await().until(() -> term() > last);
		await().until(() -> this.leader.jvm.isLeader() != this.other.jvm.isLeader());
	}

	/** Return the greatest term, 0 for none. */
	private long term() {
		return this.places.stream().mapToLong((place) -> place.jvm.term()).max().orElse(0);
	}

	private List<String> contradictions() throws IOException {
		Terms terms = new Terms();
		for (Place place : this.places) {
			terms.read(place.file);
		}
		return terms.contradictions();
	}

	/** A process with a network of its own. */
	private final class Place {

		private final Network network = new Network(ports());

		private final Path file = LeadershipContract.this.folder
			.resolve("%s.txt".formatted(LeadershipContract.this.places.size()));

		private final LeadershipProcess jvm = LeadershipProcess.start(address(this.network.ports()),
				LeadershipContract.this.namespace, LEASE);

		private Place() {
			LeadershipContract.this.places.add(this);
			this.jvm.watch(this.file);
		}

	}

}
