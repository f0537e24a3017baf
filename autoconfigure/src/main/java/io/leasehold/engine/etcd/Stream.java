package io.leasehold.engine.etcd;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * Stream of a watch's messages, one a line. No message follows after it was closed.
 * Thread-safe.
 */
final class Stream implements Flow.Subscriber<String>, AutoCloseable {

	private final BiConsumer<@Nullable JsonObject, @Nullable Throwable> messages;

	private final AtomicBoolean ended = new AtomicBoolean();

	private volatile @Nullable CompletableFuture<?> response;

	Stream(BiConsumer<@Nullable JsonObject, @Nullable Throwable> messages) {
		this.messages = messages;
	}

	/** Follow the response, which ends exceptionally if there is no connection. */
	void start(CompletableFuture<?> begun) {
		this.response = begun;
		begun.whenComplete((done, failure) -> end(failure));
		if (this.ended.get()) {
			begun.cancel(true);
		}
	}

	@Override
	public void onSubscribe(Flow.Subscription subscription) {
		subscription.request(Long.MAX_VALUE);
	}

	@Override
	public void onNext(String line) {
		if (!line.isBlank() && !this.ended.get()) {
			this.messages.accept(JsonReader.parse(line), null);
		}
	}

	@Override
	public void onError(Throwable failure) {
		end(failure);
	}

	@Override
	public void onComplete() {
		end(null);
	}

	private void end(@Nullable Throwable failure) {
		if (this.ended.compareAndSet(false, true)) {
			this.messages.accept(null, failure);
		}
	}

	@Override
	public void close() {
		this.ended.set(true);
		CompletableFuture<?> open = this.response;
		if (open != null) {
			open.cancel(true);
		}
	}

}
