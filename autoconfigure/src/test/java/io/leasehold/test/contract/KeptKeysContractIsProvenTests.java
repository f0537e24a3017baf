package io.leasehold.test.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.leasehold.LockKey;
import io.leasehold.Proof;
import io.leasehold.engine.Claim;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Owner;
import io.leasehold.test.contract.ContractIsProvenTests.ContractTest;
import io.leasehold.test.contract.ContractIsProvenTests.Sound;

/**
 * The contract finds bugs of keys that a minimum hold keeps, as
 * {@link ContractIsProvenTests} shows for exclusion.
 */
@Tag("full")
class KeptKeysContractIsProvenTests {

	@ParameterizedTest(name = "{0}: {1}")
	@MethodSource("bugs")
	void contractFailsEngineWith(UnaryOperator<LockEngine> bug, ContractTest test) {
		Proof.requireFailure(() -> ContractIsProvenTests.run(bug, test));
	}

	static Stream<Arguments> bugs() {
		return Stream.of(
				bug("an opening that only finds", OnlyFinds::new, "last holder",
						KeptKeysContract::keptKeyShowsItsLastHolderUntilItIsOpened),
				bug("an opening that only finds", OnlyFinds::new, "waiter",
						KeptKeysContract::waitingClaimProceedsWhenAKeyIsOpened),
				bug("an opening that ends a hold", OpensHeldKeys::new, "holder",
						KeptKeysContract::openingDoesNotTouchAHolderAndItsMinimumHold),
				bug("an opening that ends a hold", OpensHeldKeys::new, "next owner",
						KeptKeysContract::lateReleaseAfterOpeningDoesNotTouchTheNextOwner),
				bug("an opening that ends a hold", OpensHeldKeys::new, "permit",
						KeptKeysContract::placeThatAReleasedPermitKeepsIsNotShown),
				bug("a release that was never seen", NeverReleased::new, "last holder",
						KeptKeysContract::keptKeyShowsItsLastHolderUntilItIsOpened),
				bug("a release that was never seen", NeverReleased::new, "force",
						KeptKeysContract::keyThatWasReleasedByForceIsKept),
				bug("a crash that is a release", AlwaysReleased::new, "crash",
						KeptKeysContract::keyOfAnOwnerThatNeverReleasedIsKeptAfterItsLease),
				bug("a crash that is a release", AlwaysReleased::new, "lock delay",
						KeptKeysContract::keyWithALockDelayIsKeptAfterThatDelay),
				bug("a replacement that only finds", OnlyFinds::new, "last holder",
						KeptKeysContract::replacedKeyShowsItsNewOwnerUntilItIsOpened),
				bug("a replacement that only finds", OnlyFinds::new, "shorter",
						KeptKeysContract::waitingClaimProceedsAtTheEndOfAShorterReplacement),
				bug("a replacement that only finds", OnlyFinds::new, "longer",
						KeptKeysContract::longerReplacementOutlivesTheMinimumHold),
				bug("a replacement that only finds", OnlyFinds::new, "crash",
						KeptKeysContract::lateRequestsOfTheFormerOwnerDoNotTouchAReplacement),
				bug("a replacement in two steps", OpensFirst::new, "waiter",
						KeptKeysContract::waitingClaimIsNotGrantedAReplacedKeyUntilItIsOpened),
				bug("a replacement of any key", ReplacesAnyKey::new, "free",
						KeptKeysContract::replacedKeyShowsItsNewOwnerUntilItIsOpened),
				bug("a replacement of any key", ReplacesAnyKey::new, "holder", KeptKeysContract::heldKeyIsNotReplaced),
				bug("a replacement of any key", ReplacesAnyKey::new, "permit",
						KeptKeysContract::placeThatAReleasedPermitKeepsIsNotShown));
	}

	private static Arguments bug(String description, BiFunction<KeptKeys, Sound, KeptKeys> bug, String name,
			ContractTest test) {
		return ContractIsProvenTests.bug(description, (engine) -> new Keeping(engine, bug), name, test);
	}

	/** Keep a key as an operator without a replacement has to. */
	private static void keep(LockEngine engine, LockKey key, Owner owner, Duration duration) {
		Claim claim = new Claim(key, owner, duration, duration, false, System.nanoTime());
		engine.tryAcquire(claim);
		engine.release(claim);
	}

	/** An engine with a bug in its kept keys. */
	private static final class Keeping extends Sound {

		private final BiFunction<KeptKeys, Sound, KeptKeys> bug;

		Keeping(LockEngine store, BiFunction<KeptKeys, Sound, KeptKeys> bug) {
			super(store);
			this.bug = bug;
		}

		@Override
		public KeptKeys keptKeys() {
			return this.bug.apply(Objects.requireNonNull(super.keptKeys()), this);
		}

	}

	private record OnlyFinds(KeptKeys keys, Sound engine) implements KeptKeys {

		@Override
		public @Nullable Kept find(LockKey key) {
			return this.keys.find(key);
		}

		@Override
		public @Nullable Kept open(LockKey key) {
			return this.keys.find(key);
		}

		@Override
		public @Nullable Kept replace(LockKey key, Owner owner, Duration duration) {
			return this.keys.find(key);
		}

	}

	private record OpensHeldKeys(KeptKeys keys, Sound engine) implements KeptKeys {

		@Override
		public @Nullable Kept find(LockKey key) {
			return this.keys.find(key);
		}

		@Override
		public @Nullable Kept open(LockKey key) {
			Kept kept = this.keys.open(key);
			this.engine.lose(key);
			return kept;
		}

		@Override
		public @Nullable Kept replace(LockKey key, Owner owner, Duration duration) {
			return this.keys.replace(key, owner, duration);
		}

	}

	private record NeverReleased(KeptKeys keys, Sound engine) implements KeptKeys {

		@Override
		public @Nullable Kept find(LockKey key) {
			return unreleased(this.keys.find(key));
		}

		@Override
		public @Nullable Kept open(LockKey key) {
			return unreleased(this.keys.open(key));
		}

		@Override
		public @Nullable Kept replace(LockKey key, Owner owner, Duration duration) {
			return unreleased(this.keys.replace(key, owner, duration));
		}

		private static @Nullable Kept unreleased(@Nullable Kept kept) {
			return (kept != null) ? new Kept(kept.last(), null, kept.remaining()) : null;
		}

	}

	private record AlwaysReleased(KeptKeys keys, Sound engine) implements KeptKeys {

		@Override
		public @Nullable Kept find(LockKey key) {
			return released(this.keys.find(key));
		}

		@Override
		public @Nullable Kept open(LockKey key) {
			return released(this.keys.open(key));
		}

		@Override
		public @Nullable Kept replace(LockKey key, Owner owner, Duration duration) {
			return released(this.keys.replace(key, owner, duration));
		}

		private static @Nullable Kept released(@Nullable Kept kept) {
			return (kept != null) ? new Kept(kept.last(), Instant.now(), kept.remaining()) : null;
		}

	}

	private record OpensFirst(KeptKeys keys, Sound engine) implements KeptKeys {

		@Override
		public @Nullable Kept find(LockKey key) {
			return this.keys.find(key);
		}

		@Override
		public @Nullable Kept open(LockKey key) {
			return this.keys.open(key);
		}

		@Override
		public @Nullable Kept replace(LockKey key, Owner owner, Duration duration) {
			Kept kept = this.keys.open(key);
			if (kept != null) {
				keep(this.engine, key, owner, duration);
			}
			return kept;
		}

	}

	private record ReplacesAnyKey(KeptKeys keys, Sound engine) implements KeptKeys {

		@Override
		public @Nullable Kept find(LockKey key) {
			return this.keys.find(key);
		}

		@Override
		public @Nullable Kept open(LockKey key) {
			return this.keys.open(key);
		}

		@Override
		public @Nullable Kept replace(LockKey key, Owner owner, Duration duration) {
			Kept kept = this.keys.find(key);
			this.engine.lose(key);
			keep(this.engine, key, owner, duration);
			return kept;
		}

	}

}
