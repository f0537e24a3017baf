package io.leasehold.sample.show;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;

/**
 * Customers that arrive at the same time.
 */
@Component
class Crowd implements DisposableBean {

	private final ExecutorService threads = Executors.newCachedThreadPool(new CustomizableThreadFactory("customer-"));

	/** Run an action for a number of customers at once, and wait for all results. */
	<T> List<T> atOnce(int customers, IntFunction<T> action) {
		List<CompletableFuture<T>> results = IntStream.range(0, customers)
			.mapToObj((number) -> CompletableFuture.supplyAsync(() -> action.apply(number), this.threads))
			.toList();
		return results.stream().map(CompletableFuture::join).toList();
	}

	@Override
	public void destroy() {
		this.threads.shutdownNow();
	}

}
