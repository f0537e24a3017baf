package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redlock.ScriptedMasters.Request;
import io.leasehold.test.contract.Pace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static io.leasehold.engine.redlock.ScriptedMasters.NO_RESPONSE;
import static io.leasehold.engine.redlock.ScriptedMasters.response;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Renewer} and {@link Operator}, with responses that the test decides.
 */
class RedlockRenewalTests {

	private final ScriptedMasters masters = new ScriptedMasters(3);

	private final RedlockLockEngine engine = this.masters.engine();

	private final Claim claim = this.masters.claim("k");

	@BeforeEach
	void acquire() {
		this.engine.checkMasters();
		this.engine.tryAcquire(this.claim);
	}

	@AfterEach
	void close() {
		this.engine.close();
	}

	/** For each master whether it renews: yes, no, or no response. */
	@ParameterizedTest
	@CsvSource({ "y, y, y, Renewed", "y, y, n, Renewed", "y, y, -, Renewed", "y, n, n, NotOwner", "n, n, n, NotOwner",
			"n, n, -, NotOwner", "y, n, -, Unknown", "y, -, -, Unknown", "n, -, -, Unknown", "-, -, -, Unknown" })
	void majorityDecides(char first, char second, char third, String outcome) {
		renews(0, first);
		renews(1, second);
		renews(2, third);
		assertThat(renew(List.of(this.claim)).get(0).getClass().getSimpleName()).isEqualTo(outcome);
	}

	@Test
	void eachLockHasItsOwnOutcome() {
		this.masters.get(0).on(Scripts.RENEW, (request) -> response(List.of(1L, 0L, 1L)));
		this.masters.get(1).on(Scripts.RENEW, (request) -> response(List.of(1L, 0L, 0L)));
		this.masters.get(2).on(Scripts.RENEW, (request) -> response(List.of(0L, 1L, 1L)));
		assertThat(renew(List.of(this.claim, this.masters.claim("k2"), this.masters.claim("k3"))))
			.extracting((outcome) -> outcome.getClass().getSimpleName())
			.containsExactly("Renewed", "NotOwner", "Renewed");
	}

	@Test
	void failureNamesTheMastersAndTheLocks() {
		renews(1, '-');
		renews(2, '-');
		assertThat(renew(List.of(this.claim)).get(0)).isInstanceOfSatisfying(RenewalOutcome.Unknown.class,
				(unknown) -> assertThat(unknown.cause()).hasMessageContaining("Redlock could not renew")
					.hasMessageContaining("only 1 of 3 masters responded and count (m1:1: "));
	}

	/** With the third, the lock may still have a majority. */
	@Test
	void silentMasterIsAwaitedIfItDecides() {
		this.masters.get(1).on(Scripts.RENEW, (request) -> response(List.of(0L)));
		renews(2, '-');
		renew(List.of(this.claim)); // the third is late from now on
		CompletableFuture<Object> third = new CompletableFuture<>();
		this.masters.get(2).on(Scripts.RENEW, (request) -> third);
		CompletableFuture<RenewalOutcome> outcome = CompletableFuture
			.supplyAsync(() -> renew(List.of(this.claim)).get(0));
		await().until(() -> this.masters.get(2).requests(Scripts.RENEW).size() == 2);
		third.complete(List.of(1L));
		assertThat(outcome.join()).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@Test
	void silentMasterIsNotAwaitedIfTheOthersDecide() {
		renews(2, '-');
		renew(List.of(this.claim)); // the third is late from now on
		this.masters.get(2).on(Scripts.RENEW, (request) -> NO_RESPONSE);
		Pace pace = Pace.begin();
		assertThat(renew(List.of(this.claim)).get(0)).isInstanceOf(RenewalOutcome.Renewed.class);
		this.masters.get(0).on(Scripts.RENEW, (request) -> response(List.of(0L)));
		this.masters.get(1).on(Scripts.RENEW, (request) -> response(List.of(0L)));
		assertThat(renew(List.of(this.claim)).get(0)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(pace.elapsed()).as("without waiting for the timeout").isLessThan(Duration.ofMinutes(1));
	}

	@Test
	void manyLocksAreSentInParts() {
		List<Claim> many = IntStream.range(0, 1001).mapToObj((i) -> this.masters.claim("k" + i)).toList();
		assertThat(renew(many)).hasSize(1001).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(this.masters.get(1).requests(Scripts.RENEW)).extracting((request) -> request.keys().size())
			.containsExactly(500, 500, 1);
		assertThat(this.masters.get(1).requests(Scripts.RENEW)).flatExtracting(Request::keys).doesNotHaveDuplicates();
	}

	@Test
	void fiveHundredLocksAreOnePart() {
		renew(IntStream.range(0, 500).mapToObj((i) -> this.masters.claim("k" + i)).toList());
		assertThat(this.masters.get(1).requests(Scripts.RENEW)).hasSize(1);
	}

	@Test
	void grantIsAddedWhereItIsMissing() {
		renews(1, 'n');
		renew(List.of(this.claim));
		assertThat(added()).containsExactly(0, 1, 0);
		renews(1, 'y');
		renew(List.of(this.claim));
		assertThat(added()).as("only then").containsExactly(0, 1, 0);
	}

	@Test
	void lostGrantIsNotAdded() {
		renews(0, 'n');
		renews(1, 'n');
		renew(List.of(this.claim));
		assertThat(added()).containsExactly(0, 0, 0);
	}

	@Test
	void holderIsAnOwnerThatMayHaveAMajority() {
		owners(0, owner("a", 5, 1000, 800), owner("b", 6, 2000, 900));
		owners(1, owner("a", 5, 1100, 700));
		owners(2, owner("c", 4, 1200, 700));
		assertThat(this.engine.inspect(this.claim.key())).singleElement().satisfies((holder) -> {
			assertThat(holder.number()).isEqualTo(5);
			assertThat(holder.since().toEpochMilli()).as("the first grant").isEqualTo(1000);
			assertThat(holder.remaining()).as("while a majority has it").isEqualTo(Duration.ofMillis(700));
		});
	}

	@Test
	void ownerAtOneMasterMayHaveAMajorityWithOneThatDoesNotRespond() {
		owners(0, owner("a", 5, 1000, 800));
		this.masters.get(2).on(Scripts.INSPECT, (request) -> ScriptedMasters.lost());
		assertThat(this.engine.inspect(this.claim.key())).singleElement().satisfies((holder) -> {
			assertThat(holder.number()).isEqualTo(5);
			assertThat(holder.remaining()).isEqualTo(Duration.ofMillis(800));
		});
	}

	@Test
	void numberIsThatOfAMajorityOrTheGreatest() {
		owners(0, owner("a", 9, 1000, 800));
		owners(1, owner("a", 5, 1000, 600));
		owners(2, owner("a", 5, 1000, 900));
		assertThat(this.engine.inspect(this.claim.key())).singleElement().satisfies((holder) -> {
			assertThat(holder.number()).isEqualTo(5);
			assertThat(holder.remaining()).isEqualTo(Duration.ofMillis(800));
		});
		owners(1, owner("a", 5, 1000, 600));
		owners(2);
		assertThat(this.engine.inspect(this.claim.key())).extracting(Holder::number).containsExactly(9L);
	}

	@Test
	void holdersAreInTheOrderOfTheirNumbers() {
		for (int i = 0; i < 3; i++) {
			owners(i, owner("d", 8, 1000, 800), owner("a", 7, 1000, 800), owner("b", 5, 1000, 800),
					owner("c", 6, 1000, 800));
		}
		assertThat(this.engine.inspect(this.claim.key())).extracting(Holder::number).containsExactly(5L, 6L, 7L, 8L);
	}

	@Test
	void forcedReleaseReturnsTheFormerHoldersAndLeavesAMarker() {
		for (int i = 0; i < 2; i++) {
			this.masters.get(i).on(Scripts.FORCE, (request) -> response(owner("a", 5, 1000, 800)));
		}
		assertThat(this.engine.forceRelease(this.claim.key())).extracting(Holder::number).containsExactly(5L);
		assertThat(this.masters.get(2).requests(Scripts.FORCE)).singleElement()
			.extracting((request) -> Long.parseLong(request.arguments().get(0)))
			.isEqualTo(Duration.ofMinutes(4).toMillis());
	}

	private void renews(int master, char response) {
		this.masters.get(master)
			.on(Scripts.RENEW, (request) -> (response == '-') ? ScriptedMasters.lost()
					: response(Collections.nCopies(request.keys().size(), (response == 'y') ? 1L : 0L)));
	}

	private List<RenewalOutcome> renew(List<Claim> claims) {
		return this.engine.renew(claims.stream().map((each) -> new Renewal(each, 7, Duration.ofMinutes(3))).toList());
	}

	private List<Integer> added() {
		return IntStream.range(0, 3).mapToObj((i) -> this.masters.get(i).requests(Scripts.ADD).size()).toList();
	}

	private void owners(int master, List<?>... owners) {
		List<Object> all = new ArrayList<>();
		List.of(owners).forEach(all::addAll);
		this.masters.get(master).on(Scripts.INSPECT, (request) -> response(all));
	}

	private static List<Object> owner(String claim, long number, long since, long rest) {
		return List.of(claim, Long.toString(number), Long.toString(since), Long.toString(rest));
	}

}
