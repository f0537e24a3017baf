package io.leasehold.soak;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.leasehold.HeldLock;
import io.leasehold.LockMode;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.reactive.ReactiveLocks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Methods whose result ends later. The work goes on after a cancellation or an interrupt,
 * and claims the lock until its end or the deadline that the lock had.
 */
class LateWork {

	@DistributedLock(key = "#key", engine = "${engine}")
	CompletableFuture<Void> stage(String key, long asked, long millis, Diary diary) {
		Diary.Claimed claimed = diary.acquired(HeldLock.current(), LockMode.EXCLUSIVE, asked);
		return CompletableFuture.runAsync(() -> stay(claimed, millis));
	}

	@DistributedLock(key = "#key", engine = "${engine}")
	Mono<Void> publisher(String key, long asked, long millis, Diary diary) {
		return Mono.deferContextual((context) -> {
			Diary.Claimed claimed = diary.acquired(ReactiveLocks.held(context).get(0), LockMode.EXCLUSIVE, asked);
			return Mono.<Void>fromRunnable(() -> stay(claimed, millis)).subscribeOn(Schedulers.boundedElastic());
		});
	}

	private static void stay(Diary.Claimed claimed, long millis) {
		long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
		boolean interrupted = false;
		while (System.nanoTime() - until < 0) {
			claimed.isBelieved();
			try {
				Thread.sleep(20);
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		claimed.end();
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

}
