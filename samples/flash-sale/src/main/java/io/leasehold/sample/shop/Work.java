package io.leasehold.sample.shop;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.springframework.stereotype.Component;

/**
 * Whatever takes a shop its time: prices, vouchers, a call to somebody else.
 */
@Component
public class Work {

	/** A call to somebody else. */
	public void call() {
		LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextInt(80, 160)));
	}

	/** A moment between reading and writing, in which others may do the same. */
	public void think() {
		LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextInt(1000, 4000)));
	}

}
