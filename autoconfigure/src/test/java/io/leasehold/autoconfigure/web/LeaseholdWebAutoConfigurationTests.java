package io.leasehold.autoconfigure.web;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockKeyException;
import io.leasehold.LockLostException;
import io.leasehold.LockModeException;
import io.leasehold.LossCause;
import io.leasehold.StaleFencingTokenException;
import io.leasehold.web.LockProblemHandler;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.reactive.TomcatReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServer;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.client.MockMvcWebTestClient;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for {@link LeaseholdWebAutoConfiguration} and its {@link LockProblemHandler}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaseholdWebAutoConfigurationTests {

	private static final String ENABLED = "leasehold.web.problem-details=true";

	private static final LockKey KEY = new LockKey("secret:7");

	private static final Map<String, RuntimeException> FAILURES = Map.of("busy",
			new LockBusyException(KEY, "secret:7 is held", Duration.ZERO), "down",
			new LockEngineException(KEY, "The store of secret:7 is down", null), "interrupted",
			new LockInterruptedException(KEY), "lost", new LockLostException(KEY, "local", LossCause.EXPIRED), "stale",
			new StaleFencingTokenException("secret:7", 1, "secret:7 is stale"), "key",
			new LockKeyException("secret:7", "secret:7 is too long"), "mode",
			new LockModeException(KEY, "mode of secret:7"), "pending",
			new PaymentPending(new LockBusyException(KEY, "secret:7 is held", Duration.ZERO)));

	@ParameterizedTest
	@CsvSource({ "busy, 409, 1", "down, 503, 1", "interrupted, 503, 1", "lost, 500,", "stale, 409,", "key, 400,",
			"mode, 500," })
	void failuresHaveTheirStatuses(String failure, int status, @Nullable String retryAfter, CapturedOutput output) {
		onBothStacks(CatchAll.class, (client) -> {
			client.get()
				.uri("/" + failure)
				.exchange()
				.expectStatus()
				.isEqualTo(status)
				.expectHeader()
				.contentType(MediaType.APPLICATION_PROBLEM_JSON)
				.expectHeader()
				.values(HttpHeaders.RETRY_AFTER,
						(values) -> assertThat(values).isEqualTo((retryAfter != null) ? List.of(retryAfter) : null))
				.expectBody(String.class)
				.value((body) -> assertThat(body).contains("\"detail\":").doesNotContain("secret"));
		});
		assertThat(output.getOut().contains("Responded with status " + status)).isEqualTo(status >= 500);
	}

	@Test
	void handlerOfTheApplicationThatComesFirstDecides() {
		onBothStacks(Own.class,
				(client) -> client.get().uri("/busy").exchange().expectStatus().isEqualTo(HttpStatus.LOCKED));
	}

	/** Spring searches causes too, one handler after the other. */
	@Test
	void exceptionOfTheApplicationIsItsOwnIfItsHandlerComesFirst() {
		onBothStacks(CatchAll.class,
				(client) -> client.get().uri("/pending").exchange().expectStatus().isEqualTo(HttpStatus.CONFLICT));
		onBothStacks(Own.class,
				(client) -> client.get().uri("/pending").exchange().expectStatus().isEqualTo(HttpStatus.ACCEPTED));
	}

	/** A call inside the request may have failed, after other work. */
	@Test
	void noResponseStatesThatNothingWasExecuted() {
		onBothStacks(CatchAll.class,
				(client) -> FAILURES.keySet()
					.forEach((failure) -> client.get()
						.uri("/" + failure)
						.exchange()
						.expectBody(String.class)
						.value((body) -> assertThat(body).doesNotContain("not executed", "rolled back"))));
	}

	/** It would otherwise end as if it were complete, as with a stream. */
	@Test
	void responseThatHasBegunIsAborted(CapturedOutput output) {
		servlet(Own.class, (client) -> assertThatThrownBy(() -> client.get().uri("/begun/lost").exchange())
			.hasRootCause(FAILURES.get("lost")));
		reactive(Own.class, (context) -> {
			WebServer server = new TomcatReactiveWebServerFactory(0)
				.getWebServer(WebHttpHandlerBuilder.applicationContext(context).build());
			server.start();
			try {
				assertThat(statusOf(URI.create("http://localhost:%s/begun/lost".formatted(server.getPort()))))
					.isNotEqualTo(200);
			}
			finally {
				server.stop();
			}
		});
		assertThat(output).doesNotContain("Responded with status");
	}

	/** Return the status of a complete response, 0 for one that was aborted. */
	private static int statusOf(URI uri) {
		try {
			return HttpClient.newHttpClient()
				.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
				.statusCode();
		}
		catch (IOException ex) {
			return 0;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void nothingIsThereUnlessItIsWanted() {
		WebApplicationContextRunner web = new WebApplicationContextRunner().withConfiguration(configuration());
		web.run((context) -> assertThat(context).doesNotHaveBean(LockProblemHandler.class));
		web.withPropertyValues(ENABLED).run((context) -> assertThat(context).hasSingleBean(LockProblemHandler.class));
		web.withPropertyValues(ENABLED)
			.withClassLoader(new FilteredClassLoader(ControllerAdvice.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("leaseholdLockProblemHandler"));
		new ApplicationContextRunner().withConfiguration(configuration())
			.withPropertyValues(ENABLED)
			.run((context) -> assertThat(context).doesNotHaveBean(LockProblemHandler.class));
	}

	private static AutoConfigurations configuration() {
		return AutoConfigurations.of(LeaseholdWebAutoConfiguration.class);
	}

	private static void onBothStacks(Class<?> advice, Consumer<WebTestClient> test) {
		servlet(advice, test);
		reactive(advice, (context) -> test.accept(WebTestClient.bindToApplicationContext(context).build()));
	}

	private static void servlet(Class<?> advice, Consumer<WebTestClient> test) {
		new WebApplicationContextRunner().withConfiguration(configuration())
			.withPropertyValues(ENABLED)
			.withUserConfiguration(Mvc.class, advice)
			.run((context) -> test
				.accept(MockMvcWebTestClient.bindToApplicationContext(context.getSourceApplicationContext()).build()));
	}

	private static void reactive(Class<?> advice, Consumer<ApplicationContext> test) {
		new ReactiveWebApplicationContextRunner().withConfiguration(configuration())
			.withPropertyValues(ENABLED)
			.withUserConfiguration(Reactive.class, advice)
			.run(test::accept);
	}

	@EnableWebMvc
	@RestController
	static class Mvc {

		@GetMapping("/{failure}")
		String fail(@PathVariable("failure") String failure) {
			throw FAILURES.get(failure);
		}

		@GetMapping("/begun/{failure}")
		void begin(@PathVariable("failure") String failure, HttpServletResponse response) throws IOException {
			response.getWriter().write("begun");
			response.flushBuffer();
			throw FAILURES.get(failure);
		}

	}

	@EnableWebFlux
	@RestController
	static class Reactive {

		@GetMapping("/{failure}")
		Mono<String> fail(@PathVariable("failure") String failure) {
			return Mono.error(FAILURES.get(failure));
		}

		@GetMapping(path = "/begun/{failure}", produces = MediaType.APPLICATION_NDJSON_VALUE)
		Flux<Integer> begin(@PathVariable("failure") String failure) {
			return Flux.just(1).concatWith(Mono.error(FAILURES.get(failure)));
		}

	}

	@ControllerAdvice
	static class CatchAll {

		@ExceptionHandler
		ResponseEntity<String> handle(Exception failure) {
			return ResponseEntity.status(HttpStatus.GONE).build();
		}

	}

	private static final class PaymentPending extends RuntimeException {

		PaymentPending(LockException cause) {
			super(cause);
		}

	}

	@ControllerAdvice
	@Order(-1)
	static class Own {

		@ExceptionHandler
		ResponseEntity<String> handle(LockBusyException failure) {
			return ResponseEntity.status(HttpStatus.LOCKED).build();
		}

		@ExceptionHandler
		ResponseEntity<String> handle(PaymentPending failure) {
			return ResponseEntity.status(HttpStatus.ACCEPTED).build();
		}

	}

}
