package io.leasehold.test.contract;

import org.junit.jupiter.api.Test;

import io.leasehold.test.contract.History.Interval;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link History}: it finds what it is there to find.
 */
class HistoryTests {

	private final History history = new History();

	@Test
	void holdsOneAfterTheOtherAreTrue() {
		this.history.add(new Interval(2, 10, 30, 40));
		this.history.add(new Interval(1, 0, 5, 20));
		assertThat(this.history.violations()).isEmpty();
	}

	@Test
	void overlapIsFound() {
		this.history.add(new Interval(1, 0, 5, 20));
		this.history.add(new Interval(2, 10, 19, 40));
		assertThat(this.history.violations()).singleElement().asString().startsWith("overlap");
	}

	@Test
	void tokenGivenTwiceIsFound() {
		this.history.add(new Interval(1, 0, 5, 20));
		this.history.add(new Interval(1, 10, 30, 40));
		assertThat(this.history.violations()).singleElement().asString().startsWith("same token");
	}

	@Test
	void tokenThatGoesBackIsFound() {
		this.history.add(new Interval(2, 0, 5, 20));
		this.history.add(new Interval(1, 30, 35, 40));
		assertThat(this.history.violations()).singleElement().asString().startsWith("token against time");
	}

}
