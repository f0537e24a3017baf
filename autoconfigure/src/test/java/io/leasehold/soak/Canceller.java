package io.leasehold.soak;

import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

import io.leasehold.LockScope;
import io.leasehold.HeldLock;
import io.leasehold.LockMode;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.interceptor.BodyThreads;
import io.leasehold.interceptor.LockAdvisor;
import io.leasehold.interceptor.LockInterceptor;
import io.leasehold.interceptor.LockOperationSource;
import io.leasehold.interceptor.OnCancel;
import io.leasehold.interceptor.UnavailablePolicy;
import io.leasehold.key.KeyParser;
import io.leasehold.service.LockService;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/**
 * Calls an annotated method whose stage ends later, and cancels the result half of the
 * time. The body goes on after that, and claims the lock until its end or the deadline
 * that the lock had.
 */
final class Canceller extends Actor {

	private final Work work;

	/**
	 * Create a canceller.
	 * @param threads run the bodies
	 */
	Canceller(LockService locks, String engine, BodyThreads threads, Diary diary, Random random) {
		super(diary, random);
		LockOperationSource operations = new LockOperationSource(() -> locks,
				new KeyParser(new DefaultListableBeanFactory()), (text) -> text.replace("${engine}", engine),
				() -> null, UnavailablePolicy.FAIL);
		ProxyFactory proxy = new ProxyFactory(new Work());
		proxy.setProxyTargetClass(true);
		proxy.addAdvisor(new LockAdvisor(operations,
				new LockInterceptor(operations, () -> locks, threads, OnCancel.EXPIRE), LockScope.METHOD, 0));
		this.work = (Work) proxy.getProxy();
	}

	@Override
	void takeTurn() throws InterruptedException {
		String key = Holder.KEYS.get(this.random.nextInt(Holder.KEYS.size()));
		CompletableFuture<Void> result = this.work.under(key, System.nanoTime(), this.random.nextInt(1000), this.diary);
		try {
			if (this.random.nextBoolean()) {
				result.get(this.random.nextInt(500), TimeUnit.MILLISECONDS);
			}
			else {
				result.get();
			}
		}
		catch (TimeoutException ex) {
			this.diary.write(result.cancel(true) ? "cancelled" : "completed");
		}
		catch (ExecutionException ex) {
			this.diary.write("not-completed");
		}
	}

	/** What runs under a lock, in a thread that no cancellation reaches. */
	static class Work {

		@DistributedLock(key = "#key", engine = "${engine}")
		CompletableFuture<Void> under(String key, long asked, long millis, Diary diary) {
			Diary.Claimed claimed = diary.acquired(HeldLock.current(), LockMode.EXCLUSIVE, asked);
			return CompletableFuture.runAsync(() -> stay(claimed, System.nanoTime() + millis * 1_000_000));
		}

		private void stay(Diary.Claimed claimed, long until) {
			while (System.nanoTime() - until < 0) {
				claimed.isBelieved();
				LockSupport.parkNanos(20_000_000);
			}
			claimed.end();
		}

	}

}
