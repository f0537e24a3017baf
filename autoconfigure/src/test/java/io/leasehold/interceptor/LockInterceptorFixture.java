package io.leasehold.interceptor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

import io.leasehold.annotation.DistributedLock;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.AcquireEnded;
import io.leasehold.event.LockEventListener;
import org.jspecify.annotations.Nullable;

/**
 * Helpers for tests of the advice.
 */
abstract class LockInterceptorFixture {

	static String mustNotRun() {
		throw new AssertionError("The body ran without its lock");
	}

	static class Recorder implements LockEventListener {

		final List<AcquireEnded> ends = Collections.synchronizedList(new ArrayList<>());

		final List<String> keys = Collections.synchronizedList(new ArrayList<>());

		@Override
		public void onEvent(LockEvent event) {
			if (event instanceof AcquireEnded ended) {
				this.ends.add(ended);
				if (ended.outcome() == AcquireOutcome.ACQUIRED && ended.key() != null
						&& !ended.name().equals("unnamed")) {
					this.keys.add(ended.key().value());
				}
			}
		}

		List<AcquireEnded> ended(String name) {
			return this.ends.stream().filter((end) -> end.name().equals(name)).toList();
		}

		List<String> acquired(String name) {
			return ended(name).stream()
				.filter((end) -> end.outcome() == AcquireOutcome.ACQUIRED)
				.map((end) -> end.key().value())
				.toList();
		}

	}

	static class Orders {

		@DistributedLock(key = "'order:' + #id", lease = "${orders.lease:}")
		String pay(@Nullable Integer id, Supplier<String> body) {
			return body.get();
		}

		@DistributedLock(key = "'order:' + #id")
		void fail(int id, Throwable failure) throws Throwable {
			throw failure;
		}

		void payByItself(int id) {
			pay(id, () -> "");
		}

	}

}
