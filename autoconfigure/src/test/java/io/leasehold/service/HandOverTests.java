package io.leasehold.service;

import org.junit.jupiter.api.Test;

import io.leasehold.test.contract.Fault;

/**
 * All threads that locks need are started before the first request.
 */
class HandOverTests {

	/** From the first lock on, nothing needs another thread. */
	@Fault(111)
	@Test
	void everythingWorksThoughNoThreadCanBeStarted() throws Exception {
		ScarceThreads threads = new ScarceThreads();
		new HandOverScenario(threads.of("here")).run(() -> threads.exhausted(true));
	}

}
