package io.leasehold.benchmark;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Options}.
 */
class OptionsTests {

	@Test
	void allContendersTakePartUnlessSomeAreNamed() {
		assertThat(Options.of().admits("shedlock")).isTrue();
		assertThat(Options.of("--contenders=leasehold").admits("shedlock")).isFalse();
	}

	@Test
	void unknownContenderIsRefusedWithThoseThereAre() {
		assertThatIllegalArgumentException().isThrownBy(() -> Options.of("--store=zookeeper", "--contenders=shedlock"))
			.withMessageContaining("shedlock")
			.withMessageContaining("ZOOKEEPER")
			.withMessageContaining("leasehold");
	}

	@Test
	void handoffHoldsTheLockForFiveMillisecondsUnlessAskedOtherwise() {
		assertThat(Options.of().hold()).hasMillis(5);
		assertThat(Options.of("--hold=25").hold()).hasMillis(25);
		assertThat(Scenarios.all(Options.of("--hold=25").hold())).extracting(Scenario::name)
			.contains("handoff-25")
			.filteredOn(Options.of("handoff")::includes)
			.containsExactly("handoff-25");
	}

}
