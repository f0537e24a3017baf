package io.leasehold.engine.hazelcast;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.hazelcast.core.HazelcastInstance;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.cas.CasLockEngine;
import io.leasehold.server.HazelcastTestCluster;
import io.leasehold.test.contract.Fault;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Faults of a cluster of two Hazelcast members: one is killed, or they are separated.
 */
@Tag("full")
class HazelcastFaultsIntegrationTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final int LOCKS = 50;

	private final HazelcastTestCluster cluster = new HazelcastTestCluster();

	private final HazelcastInstance first = this.cluster.member();

	private final HazelcastInstance second = this.cluster.member();

	private final Member member = Member.of("faults");

	private final CasLockEngine engine = HazelcastEngines.open("faults", this.first, MonotonicClock.SYSTEM);

	private final CasLockEngine other = HazelcastEngines.open("faults", this.second, MonotonicClock.SYSTEM);

	@AfterEach
	void close() {
		this.engine.close();
		this.other.close();
		this.cluster.close();
	}

	/** Each entry has a backup on the other member. */
	@Fault(161)
	@Test
	void locksSurviveTheDeathOfAMember() {
		List<Claim> claims = new ArrayList<>();
		List<Granted> grants = new ArrayList<>();
		for (int i = 0; i < LOCKS; i++) {
			Claim claim = claim("order:" + i);
			claims.add(claim);
			grants.add(granted(this.engine, claim));
		}
		eventually().until(this.first.getPartitionService()::isClusterSafe);
		this.second.getLifecycleService().terminate();
		for (int i = 0; i < LOCKS; i++) {
			Claim claim = claims.get(i);
			Granted granted = grants.get(i);
			eventually().until(() -> !(renew(this.engine, claim, granted) instanceof RenewalOutcome.Unknown));
			assertThat(renew(this.engine, claim, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(this.engine.tryAcquire(claim("order:" + i))).isInstanceOf(Busy.class);
			assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		}
		assertThat(HazelcastEngines.residue(this.first, "faults")).isEmpty();
	}

	/**
	 * Hazelcast prefers to be available: both parts of a cluster grant a lock. When they
	 * are one cluster again, one of its holders is informed.
	 */
	@Fault(162)
	@Test
	void splitHasTwoHoldersUntilItIsHealed() {
		Claim used = claim("order:42");
		granted(this.engine, used);
		this.engine.release(used);
		this.cluster.split();
		eventually().until(() -> this.first.getCluster().getMembers().size() == 1
				&& this.second.getCluster().getMembers().size() == 1);
		Claim here = claim("order:42");
		Claim there = claim("order:42");
		Granted grantedHere = grantedAtLast(this.engine, here);
		Granted grantedThere = grantedAtLast(this.other, there);
		this.cluster.heal();
		eventually().until(() -> renew(this.engine, here, grantedHere) instanceof RenewalOutcome.NotOwner
				|| renew(this.other, there, grantedThere) instanceof RenewalOutcome.NotOwner);
		List<RenewalOutcome> outcomes = List.of(renewAtLast(this.engine, here, grantedHere),
				renewAtLast(this.other, there, grantedThere));
		assertThat(outcomes).hasAtLeastOneElementOfType(RenewalOutcome.NotOwner.class);
		assertThat(outcomes.stream().filter(RenewalOutcome.Renewed.class::isInstance)).hasSizeLessThanOrEqualTo(1);
	}

	private static Granted grantedAtLast(CasLockEngine engine, Claim claim) {
		return (Granted) eventually().ignoreException(LockEngineException.class)
			.until(() -> engine.tryAcquire(claim), Granted.class::isInstance);
	}

	private static RenewalOutcome renewAtLast(CasLockEngine engine, Claim claim, Granted granted) {
		return eventually().until(() -> renew(engine, claim, granted),
				(outcome) -> !(outcome instanceof RenewalOutcome.Unknown));
	}

	private Claim claim(String key) {
		return new Claim(new LockKey(key), this.member.newOwner(), LEASE, Duration.ZERO, false, System.nanoTime());
	}

	private static Granted granted(CasLockEngine engine, Claim claim) {
		AcquisitionOutcome outcome = engine.tryAcquire(claim);
		assertThat(outcome).isInstanceOf(Granted.class);
		return (Granted) outcome;
	}

	private static RenewalOutcome renew(CasLockEngine engine, Claim claim, Granted granted) {
		return engine.renew(List.of(new Renewal(claim, granted.number(), LEASE))).get(0);
	}

	private static ConditionFactory eventually() {
		return Awaitility.await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(50));
	}

}
