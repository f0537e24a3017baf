package io.leasehold.engine.support;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for {@link PlannedOnce}.
 */
class PlannedOnceTests {

	private final PlannedOnce work = new PlannedOnce();

	private final List<String> planned = new ArrayList<>();

	@Test
	void workIsPlannedOnceUntilItIsDone() {
		this.work.plan(() -> this.planned.add("first"));
		this.work.plan(() -> this.planned.add("second"));
		this.work.done();
		this.work.plan(() -> this.planned.add("third"));
		assertThat(this.planned).containsExactly("first", "third");
	}

	@Test
	void workThatCouldNotBePlannedIsPlannedByTheNextCaller() {
		assertThatThrownBy(() -> this.work.plan(() -> {
			throw new OutOfMemoryError("no space for a task");
		})).isInstanceOf(OutOfMemoryError.class);
		this.work.plan(() -> this.planned.add("next"));
		assertThat(this.planned).containsExactly("next");
	}

}
