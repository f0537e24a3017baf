package io.leasehold.engine.redlock;

import java.util.concurrent.ConcurrentHashMap;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.leasehold.engine.Signal;
import io.leasehold.engine.redis.connection.Login;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Releases}, of three masters.
 */
class ReleasesTests {

	private static final int MAJORITY = 2;

	private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();

	private final ScriptedMasters scripted = new ScriptedMasters(3);

	private final List<Master> masters = this.scripted.nodes()
		.stream()
		.map((node) -> new Master(node, this.scripted, () -> new Login(null, null, 0), RedlockOpener.settings("ns"),
				this.executor, new ConcurrentHashMap<>()))
		.toList();

	private final Releases releases = new Releases();

	private final List<Signal> signals = new ArrayList<>();

	@AfterEach
	void stop() {
		this.executor.shutdownNow();
	}

	@Test
	void listenerIsNotifiedOnceBySeveralMastersOfAMajority() {
		this.releases.listen(this.signals::add, MAJORITY);
		published(0);
		published(0);
		assertThat(this.signals).isEmpty();
		published(2);
		published(1);
		assertThat(this.signals).containsExactly(new Signal.Retry());
	}

	@Test
	void releasesBeforeTheListenerNotifyItAtOnce() {
		published(0);
		published(1);
		this.releases.listen(this.signals::add, MAJORITY);
		published(2);
		assertThat(this.signals).containsExactly(new Signal.Retry());
	}

	@Test
	void releasesBeforeTheLastRequestDoNotCount() {
		this.releases.listen(this.signals::add, MAJORITY);
		published(0);
		assertThat(this.releases.clear()).isTrue();
		published(1);
		assertThat(this.signals).isEmpty();
		published(0);
		assertThat(this.signals).hasSize(1);
	}

	@Test
	void listenerIsNotNotifiedAfterItStopped() {
		this.releases.listen(this.signals::add, MAJORITY);
		this.releases.stopListening();
		published(0);
		published(1);
		assertThat(this.signals).isEmpty();
		assertThat(this.releases.clear()).isFalse();
	}

	@Test
	void listenerThatFailsDoesNotConcernTheMaster() {
		this.releases.listen((signal) -> {
			throw new IllegalStateException("expected");
		}, MAJORITY);
		published(0);
		published(1);
		this.releases.listen(this.signals::add, MAJORITY);
		assertThat(this.signals).hasSize(1);
	}

	private void published(int master) {
		this.releases.add(this.masters.get(master), MAJORITY);
	}

}
