package io.leasehold.sample.shop;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.springframework.stereotype.Component;

/**
 * Simulated work of a shop, such as prices, vouchers or a remote call.
 */
@Component
public class Work {

	/** Simulate a remote call. */
	public void call() {
		LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextInt(80, 160)));
	}

	/** Simulate the time between reading and writing, in which callers can overlap. */
	public void think() {
		LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextInt(1000, 4000)));
	}

}
