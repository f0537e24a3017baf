package io.leasehold.test.contract;

import java.util.List;

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
	void holdThatIsOverWhenItsHolderGetsItClaimsNothing() {
		this.history.add(new Interval(1, 0, 60, 55));
		this.history.add(new Interval(2, 10, 30, 40));
		assertThat(this.history.violations()).isEmpty();
	}

	@Test
	void holdThatIsOverHidesNoOverlap() {
		this.history.add(new Interval(1, 0, 5, 50));
		this.history.add(new Interval(2, 10, 60, 55));
		this.history.add(new Interval(3, 10, 30, 40));
		assertThat(this.history.violations()).singleElement().asString().startsWith("overlap");
	}

	@Test
	void tokenGivenTwiceIsFound() {
		this.history.add(new Interval(1, 0, 5, 20));
		this.history.add(new Interval(1, 10, 30, 40));
		assertThat(this.history.violations()).singleElement().asString().startsWith("same token");
	}

	@Test
	void tokenGivenToTwoSharersIsFound() {
		this.history.add(new Interval(1, 0, 5, 20, true));
		this.history.add(new Interval(1, 10, 15, 40, true));
		assertThat(this.history.violations()).singleElement().asString().startsWith("same token");
	}

	@Test
	void tokenThatGoesBackIsFound() {
		this.history.add(new Interval(2, 0, 5, 20));
		this.history.add(new Interval(1, 30, 35, 40));
		assertThat(this.history.violations()).singleElement().asString().startsWith("token against time");
	}

	@Test
	void sharersMayOverlap() {
		this.history.add(new Interval(1, 0, 5, 20, false));
		this.history.add(new Interval(2, 0, 21, 60, true));
		this.history.add(new Interval(3, 0, 22, 30, true));
		this.history.add(new Interval(4, 0, 61, 70, false));
		assertThat(this.history.violations()).isEmpty();
	}

	@Test
	void overlapWithAnySharerIsFound() {
		this.history.add(new Interval(2, 0, 21, 60, true));
		this.history.add(new Interval(3, 0, 22, 30, true));
		this.history.add(new Interval(4, 0, 40, 70, false));
		assertThat(this.history.violations()).singleElement().asString().startsWith("overlap").contains("ended=60");
	}

	@Test
	void sharerBesideAnOwnerIsFound() {
		this.history.add(new Interval(1, 0, 5, 20, false));
		this.history.add(new Interval(2, 0, 21, 60, true));
		this.history.add(new Interval(3, 0, 19, 30, true));
		assertThat(this.history.violations()).singleElement().asString().startsWith("overlap");
	}

	@Test
	void writesOfOwnersInTurnAreTrue() {
		List.of(1L, 1L, 3L).forEach(this.history::accepted);
		assertThat(this.history.violations()).isEmpty();
	}

	@Test
	void writeOfAFormerOwnerIsFound() {
		List.of(1L, 3L, 2L, 3L).forEach(this.history::accepted);
		assertThat(this.history.violations()).containsExactly("write of a former owner: 2 after 3");
	}

}
