package io.leasehold.engine.zookeeper;

import java.util.ArrayList;
import java.util.List;

import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Signal;
import io.leasehold.engine.zookeeper.AwaitedChange.Effect;
import io.leasehold.engine.zookeeper.AwaitedChange.Kind;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The watches of a waiting claim, and its knowledge of whether its turn has come.
 */
class TurnTests {

	private static final AwaitedChange LAST = new AwaitedChange("/k/a", Kind.REMOVAL, Effect.LIKELY);

	private static final AwaitedChange EARLIER = new AwaitedChange("/k/b", Kind.REMOVAL, Effect.UNKNOWN);

	private static final AwaitedChange ONLY = new AwaitedChange("/k/c", Kind.REMOVAL, Effect.CERTAIN);

	private static final WatchedEvent REMOVED = new WatchedEvent(EventType.NodeDeleted, KeeperState.SyncConnected,
			"/k/c");

	private final Turn turn = new Turn();

	private final List<Signal> signals = new ArrayList<>();

	/** Grant without a request, if that is possible. */
	private @Nullable Granted now;

	@Test
	void obstacleIsWatchedOnceItHasAListener() {
		assertThat(this.turn.busy(LAST)).isNull();
		assertThat(listen().awaited()).isEqualTo(LAST);
	}

	@Test
	void listenerWaitsForAnObstacle() {
		assertThat(listen()).isNull();
		assertThat(this.turn.busy(LAST).awaited()).isEqualTo(LAST);
	}

	@Test
	void obstacleIsWatchedOnce() {
		watch(LAST);
		assertThat(this.turn.busy(LAST)).isNull();
		assertThat(this.turn.busy(EARLIER).awaited()).isEqualTo(EARLIER);
	}

	@Test
	void endOfTheLastObstacleIsNotifiedAndTheTurnExpected() {
		watch(LAST).process(new WatchedEvent(EventType.NodeDeleted, KeeperState.SyncConnected, "/k/a"));
		assertThat(this.signals).containsExactly(new Signal.Retry());
		assertThat(this.turn.isExpected()).isTrue();
	}

	@Test
	void endOfAnEarlierObstacleIsOnlyNotified() {
		watch(EARLIER).process(new WatchedEvent(EventType.NodeDeleted, KeeperState.SyncConnected, "/k/b"));
		assertThat(this.signals).containsExactly(new Signal.Retry());
		assertThat(this.turn.isExpected()).isFalse();
	}

	@Test
	void turnThatHasCertainlyComeIsGranted() {
		this.now = new Granted(1, 2);
		watch(ONLY).process(REMOVED);
		assertThat(this.signals).containsExactly(new Signal.Pushed(this.now));
		assertThat(this.turn.isExpected()).isTrue();
	}

	@Test
	void turnThatNeedsARequestIsNotified() {
		watch(ONLY).process(REMOVED);
		assertThat(this.signals).containsExactly(new Signal.Retry());
		assertThat(this.turn.isExpected()).isTrue();
	}

	@Test
	void nothingIsGrantedAfterAnyOtherEvent() {
		this.now = new Granted(1, 2);
		watch(ONLY).process(new WatchedEvent(EventType.ChildWatchRemoved, KeeperState.SyncConnected, "/k/c"));
		this.turn.busy(ONLY).fail();
		this.turn.busy(LAST).process(REMOVED);
		Turn.Watch replaced = this.turn.busy(ONLY);
		this.turn.busy(EARLIER);
		replaced.process(REMOVED);
		assertThat(this.signals).hasSize(4).containsOnly(new Signal.Retry());
	}

	/** A watch survives a broken connection. */
	@Test
	void eventOfTheConnectionDoesNotEndAWatch() {
		watch(LAST).process(new WatchedEvent(EventType.None, KeeperState.Disconnected, null));
		assertThat(this.signals).isEmpty();
		assertThat(this.turn.isExpected()).isFalse();
		assertThat(this.turn.busy(LAST)).isNull();
	}

	@Test
	void watchThatFailedIsNotifiedAndSetAgain() {
		watch(LAST).fail();
		assertThat(this.signals).containsExactly(new Signal.Retry());
		assertThat(this.turn.isExpected()).isFalse();
		assertThat(this.turn.busy(LAST)).isNotNull();
	}

	/** A poll may have found it already. */
	@Test
	void endOfAnEarlierObstacleDoesNotHideTheTurn() {
		Turn.Watch watch = watch(EARLIER);
		this.turn.expect();
		watch.end();
		assertThat(this.turn.isExpected()).isTrue();
	}

	@Test
	void endOfAReplacedWatchEndsNoOther() {
		Turn.Watch replaced = watch(LAST);
		this.turn.busy(EARLIER);
		replaced.end();
		assertThat(this.turn.isExpected()).isFalse();
		assertThat(this.turn.busy(EARLIER)).isNull();
	}

	@Test
	void removedListenerIsNotNotified() {
		Turn.Watch watch = watch(LAST);
		assertThat(this.turn.unsubscribe()).isSameAs(watch);
		watch.end();
		this.turn.retry();
		assertThat(this.signals).isEmpty();
		assertThat(this.turn.isExpected()).isFalse();
	}

	private Turn.@Nullable Watch listen() {
		return this.turn.listen(this.signals::add, () -> this.now);
	}

	private Turn.Watch watch(AwaitedChange awaited) {
		listen();
		return this.turn.busy(awaited);
	}

}
