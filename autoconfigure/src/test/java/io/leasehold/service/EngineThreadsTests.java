package io.leasehold.service;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EngineThreads}: their start, and what their check finds. The heartbeat
 * beats when a test wants it.
 */
class EngineThreadsTests {

	/** Kinds of threads that are blocked. */
	private final Set<String> blocked = new HashSet<>();

	private final List<Runnable> heartbeats = new ArrayList<>();

	private final AtomicInteger created = new AtomicInteger();

	private final AtomicInteger selfChecks = new AtomicInteger();

	private final EngineThreads threads = new EngineThreads("stepped", new Parts());

	@AfterEach
	void close() {
		this.threads.close();
	}

	@Test
	void secondStartStartsNothing() {
		this.threads.start(this.selfChecks::incrementAndGet);
		int started = this.created.get();
		assertThat(started).isGreaterThanOrEqualTo(6);
		this.threads.start(this.selfChecks::incrementAndGet);
		assertThat(this.created).hasValue(started);
		assertThat(this.heartbeats).hasSize(1);
		this.heartbeats.get(0).run();
		assertThat(this.selfChecks).hasValue(1);
	}

	@Test
	void codeOfCallersIsCrowdedWhileEitherKindOfItIsBlocked() {
		this.threads.start(this.selfChecks::incrementAndGet);
		assertThat(isCrowded()).isFalse();
		assertThat(isCrowded("worker", "release", "renewal")).isFalse();
		assertThat(isCrowded("caller")).isTrue();
		assertThat(isCrowded()).isFalse();
		assertThat(isCrowded("loss")).isTrue();
		assertThat(isCrowded("caller", "loss")).isTrue();
		assertThat(isCrowded()).isFalse();
	}

	private boolean isCrowded(String... kinds) {
		this.blocked.clear();
		this.blocked.addAll(List.of(kinds));
		this.heartbeats.get(0).run();
		return this.threads.isCrowded();
	}

	private final class Parts extends EngineThreads.Parts {

		@Override
		Timers timers(String name) {
			return new Timers(threads(name)) {
				@Override
				synchronized void start(Runnable heartbeat) {
					EngineThreadsTests.this.heartbeats.add(heartbeat);
				}
			};
		}

		@Override
		WorkerPool workers(String name, int size, int mostSize, boolean runsWhenClosed) {
			return new WorkerPool(name, size, mostSize, runsWhenClosed, threads(name)) {
				@Override
				boolean check() {
					return EngineThreadsTests.this.blocked.contains(name.substring("leasehold-stepped-".length()));
				}
			};
		}

		@Override
		ThreadFactory threads(String name) {
			ThreadFactory threads = super.threads(name);
			return (task) -> {
				EngineThreadsTests.this.created.incrementAndGet();
				return threads.newThread(task);
			};
		}

	}

}
