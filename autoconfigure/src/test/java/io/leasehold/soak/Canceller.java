package io.leasehold.soak;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.leasehold.LockScope;
import io.leasehold.interceptor.BodyThreads;
import io.leasehold.interceptor.LockAdvisor;
import io.leasehold.interceptor.LockInterceptor;
import io.leasehold.interceptor.LockOperationSource;
import io.leasehold.interceptor.OnCancel;
import io.leasehold.interceptor.TransactionGuards;
import io.leasehold.interceptor.UnavailablePolicy;
import io.leasehold.key.KeyParser;
import io.leasehold.service.LockService;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/**
 * Calls annotated methods whose stage or publisher ends later, and does not wait for the
 * end half of the time.
 */
final class Canceller extends Actor {

	private final LateWork work;

	/**
	 * Create a canceller.
	 * @param threads run the bodies
	 */
	Canceller(LockService locks, String engine, BodyThreads threads, Diary diary, Random random) {
		super(diary, random);
		LockOperationSource operations = new LockOperationSource(() -> locks,
				new KeyParser(new DefaultListableBeanFactory()), (text) -> text.replace("${engine}", engine),
				new TransactionGuards(() -> null, () -> null, () -> null), UnavailablePolicy.FAIL, () -> null);
		ProxyFactory proxy = new ProxyFactory(new LateWork());
		proxy.setProxyTargetClass(true);
		proxy.addAdvisor(new LockAdvisor(operations,
				new LockInterceptor(operations, () -> locks, threads, OnCancel.EXPIRE), LockScope.METHOD, 0));
		this.work = (LateWork) proxy.getProxy();
	}

	@Override
	void takeTurn() throws InterruptedException {
		String key = Holder.KEYS.get(this.random.nextInt(Holder.KEYS.size()));
		Result kind = Result.values()[this.random.nextInt(Result.values().length)];
		int limit = this.random.nextBoolean() ? this.random.nextInt(500) : Integer.MAX_VALUE;
		CompletableFuture<Void> result = kind.call(this.work, key, this.random.nextInt(1000), limit, this.diary);
		try {
			result.get(limit, TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			this.diary.write(result.cancel(true) ? "cancelled-" + kind : "completed");
		}
		catch (ExecutionException ex) {
			this.diary.write((ex.getCause() instanceof TimeoutException) ? "timed-out" : "not-completed");
		}
	}

	/** Kinds of results. */
	private enum Result {

		STAGE {
			@Override
			CompletableFuture<Void> call(LateWork work, String key, long millis, int limit, Diary diary) {
				return work.stage(key, System.nanoTime(), millis, diary);
			}
		},

		PUBLISHER {
			@Override
			CompletableFuture<Void> call(LateWork work, String key, long millis, int limit, Diary diary) {
				return work.publisher(key, System.nanoTime(), millis, diary).toFuture();
			}
		},

		/** The publisher is cancelled by an operator. */
		LIMITED_PUBLISHER {
			@Override
			CompletableFuture<Void> call(LateWork work, String key, long millis, int limit, Diary diary) {
				return work.publisher(key, System.nanoTime(), millis, diary)
					.timeout(Duration.ofMillis(limit / 2))
					.toFuture();
			}
		};

		abstract CompletableFuture<Void> call(LateWork work, String key, long millis, int limit, Diary diary);

	}

}
