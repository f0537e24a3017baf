package io.leasehold.leadership;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.LockOptions;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.event.LockEvent;
import io.leasehold.service.DeadlockPolicy;
import io.leasehold.service.HolderReport;
import io.leasehold.service.LockService;
import io.leasehold.service.OnLost;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.service.ServiceSettings;

/**
 * One of the instances of an application: a service and a candidate.
 */
class Instance {

	/** The role of the candidate. */
	static final String ROLE = "billing";

	final List<Object> events = new CopyOnWriteArrayList<>();

	final List<LockEvent> lockEvents = new CopyOnWriteArrayList<>();

	final LockService service;

	final Candidate candidate;

	Instance(Member member, LockEngine engine, Duration lease) {
		LockOptions defaults = new LockOptions("test", engine.name(), lease, Duration.ZERO, Duration.ZERO,
				LockOptions.UNLIMITED);
		this.service = new LockService(
				new ServiceSettings(defaults, OnLost.THROW, 63, Duration.ofMinutes(10), Duration.ZERO,
						Duration.ofMillis(1), HolderReport.AFTER_WAIT, DeadlockPolicy.WARN),
				List.of(engine), member, MonotonicClock.SYSTEM, List.of(this.lockEvents::add), ReleaseTiming.IMMEDIATE);
		this.candidate = new Candidate(ROLE, this.service, defaults, this::listen);
	}

	/** Let the candidate stand. */
	void start() {
		start(this.candidate);
	}

	static void start(Candidate candidate) {
		candidate.start(new AtomicLong());
	}

	/** Listen to an event of the role. */
	void listen(Object event) {
		this.events.add(event);
	}

	boolean isLeader() {
		return this.candidate.isLeader();
	}

	boolean isWaiting() {
		return !this.service.inspector().overview().waiting().isEmpty();
	}

	/** Return the term of each event. */
	List<Long> terms() {
		return this.events.stream()
			.map((event) -> (event instanceof LeadershipGrantedEvent granted) ? granted.term()
					: ((LeadershipRevokedEvent) event).term())
			.toList();
	}

	/** End the candidacy, and wait until the lock was released. */
	void stop() throws InterruptedException {
		CountDownLatch ended = new CountDownLatch(1);
		this.candidate.stop(ended::countDown);
		ended.await();
	}

	void close() {
		this.candidate.close();
		this.service.close();
	}

}
