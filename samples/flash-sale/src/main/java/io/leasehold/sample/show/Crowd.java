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
 * Customers who all come at the same moment.
 */
@Component
class Crowd implements DisposableBean {

	private final ExecutorService threads = Executors.newCachedThreadPool(new CustomizableThreadFactory("customer-"));

	/** Let so many do something at once, each with a number, and wait for all answers. */
	<T> List<T> atOnce(int customers, IntFunction<T> action) {
		List<CompletableFuture<T>> answers = IntStream.range(0, customers)
			.mapToObj((number) -> CompletableFuture.supplyAsync(() -> action.apply(number), this.threads))
			.toList();
		return answers.stream().map(CompletableFuture::join).toList();
	}

	@Override
	public void destroy() {
		this.threads.shutdownNow();
	}

}
