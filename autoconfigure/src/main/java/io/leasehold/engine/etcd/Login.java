package io.leasehold.engine.etcd;

import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Token of the user. All requests that need a new one share one login at each member,
 * because a login is expensive for the server. A rejected login is not repeated at once.
 * Thread-safe.
 */
final class Login {

	private static final Duration PAUSE = Duration.ofSeconds(2);

	private final Function<URI, CompletableFuture<String>> request;

	private final Map<URI, CompletableFuture<String>> running = new HashMap<>();

	private volatile @Nullable String token;

	private @Nullable EtcdException rejected;

	private long rejectedAt;

	/**
	 * Create the login of a user.
	 * @param request sends the login to a member
	 */
	Login(Function<URI, CompletableFuture<String>> request) {
		this.request = request;
	}

	/** Return the token of the last login, or {@code null} if it was invalid. */
	@Nullable String present() {
		return this.token;
	}

	synchronized void forget(String used) {
		if (used.equals(this.token)) {
			this.token = null;
		}
	}

	/**
	 * Return the token, of a login at a member if there is none.
	 * @throws EtcdException also if the deadline has passed; the login continues, for the
	 * next request
	 */
	String token(URI member, long deadline) throws EtcdException {
		String valid = this.token;
		if (valid != null) {
			return valid;
		}
		return EtcdException.await(join(member), deadline,
				"%s did not respond to the login within the call timeout".formatted(member));
	}

	private CompletableFuture<String> join(URI member) throws EtcdException {
		CompletableFuture<String> login = new CompletableFuture<>();
		synchronized (this) {
			if (this.token != null) {
				return CompletableFuture.completedFuture(this.token);
			}
			EtcdException failure = this.rejected;
			if (failure != null && System.nanoTime() - this.rejectedAt < PAUSE.toNanos()) {
				throw EtcdException.of(failure);
			}
			CompletableFuture<String> present = this.running.putIfAbsent(member, login);
			if (present != null) {
				return present;
			}
		}
		try {
			this.request.apply(member).whenComplete((response, failure) -> end(member, login, response, failure));
		}
		catch (RuntimeException | Error ex) {
			end(member, login, null, ex);
		}
		return login;
	}

	private void end(URI member, CompletableFuture<String> login, @Nullable String response,
			@Nullable Throwable failure) {
		synchronized (this) {
			this.running.remove(member);
			this.rejected = null;
			if (response != null) {
				this.token = response;
			}
			else if (failure != null && cause(failure).isRejection()) {
				this.rejected = cause(failure);
				this.rejectedAt = System.nanoTime();
			}
		}
		if (response != null) {
			login.complete(response);
		}
		else {
			login.completeExceptionally(cause(failure));
		}
	}

	private static EtcdException cause(@Nullable Throwable failure) {
		return EtcdException.of((failure instanceof CompletionException) ? failure.getCause() : failure);
	}

}
