package io.leasehold.engine;

import java.time.Duration;

import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class AccessTests {

	@Test
	void everyAccessMayHaveAFreeKey() {
		assertThat(Access.EXCLUSIVE.joins(Access.SHARED, 0)).isTrue();
		assertThat(Access.SHARED.joins(Access.EXCLUSIVE, 0)).isTrue();
		assertThat(Access.permits(1).joins(Access.permits(2), 0)).isTrue();
	}

	@Test
	void onlyTheSameAccessJoinsThoseWhoHoldAKey() {
		assertThat(Access.EXCLUSIVE.joins(Access.EXCLUSIVE, 1)).isFalse();
		assertThat(Access.SHARED.joins(Access.SHARED, 1_000_000)).isTrue();
		assertThat(Access.SHARED.joins(Access.EXCLUSIVE, 1)).isFalse();
		assertThat(Access.EXCLUSIVE.joins(Access.SHARED, 1)).isFalse();
		assertThat(Access.permits(1).joins(Access.EXCLUSIVE, 1)).isFalse();
		assertThat(Access.permits(3).joins(Access.permits(3), 2)).isTrue();
		assertThat(Access.permits(3).joins(Access.permits(3), 3)).isFalse();
		assertThat(Access.permits(4).joins(Access.permits(3), 3)).isFalse();
	}

	@Test
	void permitsOfAnotherNumberContradict() {
		assertThat(Access.permits(4).contradicts(Access.permits(3))).isTrue();
		assertThat(Access.permits(3).contradicts(Access.permits(3))).isFalse();
		assertThat(Access.permits(3).contradicts(Access.SHARED)).isFalse();
		assertThat(Access.EXCLUSIVE.contradicts(Access.permits(3))).isFalse();
	}

	@Test
	void accessIsThatOfTheOptions() {
		LockOptions options = new LockOptions("test", "local", Duration.ofSeconds(30), Duration.ZERO, Duration.ZERO,
				LockOptions.UNLIMITED);
		assertThat(Access.of(options.terms())).isEqualTo(Access.EXCLUSIVE);
		assertThat(Access.of(options.toBuilder().mode(LockMode.SHARED).build().terms())).isEqualTo(Access.SHARED);
		assertThat(Access.of(options.toBuilder().permits(1).build().terms())).isEqualTo(Access.permits(1));
	}

	@Test
	void exclusiveAccessCoversEveryOtherAndAnyAccessItself() {
		assertThat(Access.EXCLUSIVE.covers(Access.SHARED)).isTrue();
		assertThat(Access.SHARED.covers(Access.EXCLUSIVE)).isFalse();
		assertThat(Access.permits(3).covers(Access.permits(3))).isTrue();
		assertThat(Access.permits(3).covers(Access.permits(4))).isFalse();
	}

	@Test
	void accessIsShownToPeople() {
		assertThat(Access.EXCLUSIVE).hasToString("exclusive");
		assertThat(Access.SHARED).hasToString("shared");
		assertThat(Access.permits(1)).hasToString("1 permit").matches(Access::isPermit);
		assertThat(Access.permits(2)).hasToString("2 permits");
		assertThat(Access.SHARED.isPermit()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "x", "s", "1", "10", "999999999" })
	void codeIsReadAsItWasWritten(String code) {
		assertThat(Access.parse(code).code()).isEqualTo(code);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "0", "-1", "01", "xs", "9999999999", "1\n" })
	void foreignCodeIsRefused(String code) {
		assertThatIllegalArgumentException().isThrownBy(() -> Access.parse(code));
	}

}
