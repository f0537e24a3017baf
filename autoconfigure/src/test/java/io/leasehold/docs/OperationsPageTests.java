package io.leasehold.docs;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.server.LocalHttp;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application as the page configures it responds to each command of the page, which
 * are those of the page in Chinese too.
 */
class OperationsPageTests {

	private static final Pattern COMMAND = Pattern.compile(
			"curl -s(?: -X (?<method>\\w+))?(?: -H '(?<header>[\\w-]+): (?<value>[^']+)')?(?: -d '(?<body>[^']+)')? '?localhost:8080(?<path>[^']+)'?");

	private static final String PAGE = "docs/operations/README.md";

	@Test
	void commandsOfThePageHaveResponses() throws Exception {
		List<String> commands = commands(PAGE);
		assertThat(commands).hasSizeGreaterThan(10);
		try (ConfigurableApplicationContext context = start()) {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			LockOptions job = locks.defaults().toBuilder().name("Reports.nightly").build();
			try (HeldLock held = locks.acquire("order:42", job)) {
				assertThat(held.isValid()).isTrue();
				String port = context.getEnvironment().getProperty("local.server.port");
				for (String command : commands) {
					// No other server runs here
					HttpResponse<String> response = send(command.replace("/redis/", "/local/"), port);
					assertThat(response.statusCode()).as(command + "\n" + response.body()).isBetween(200, 204);
				}
				assertThat(held.isValid()).as("after the forced release").isFalse();
			}
			catch (LockLostException ex) {
				assertThat(ex.getKey()).isEqualTo("order:42");
			}
		}
	}

	@Test
	void pageInChineseHasTheSameCommands() {
		assertThat(commands("docs/zh/operations.md")).isEqualTo(commands(PAGE));
	}

	private static List<String> commands(String page) {
		return Manual.page(page)
			.blocks("shell")
			.stream()
			.flatMap((block) -> Stream.of(block.text().split("\n")))
			.filter((line) -> !line.isBlank())
			.toList();
	}

	private static HttpResponse<String> send(String command, String port) throws Exception {
		Matcher parts = COMMAND.matcher(command);
		assertThat(parts.matches()).as(command).isTrue();
		String body = parts.group("body");
		String method = (parts.group("method") != null) ? parts.group("method") : "GET";
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI.create("http://127.0.0.1:" + port + parts.group("path")))
			.method(method,
					(body != null) ? HttpRequest.BodyPublishers.ofString(body) : HttpRequest.BodyPublishers.noBody());
		if (parts.group("header") != null) {
			request.header(parts.group("header"), parts.group("value"));
		}
		return LocalHttp.send(request);
	}

	private static ConfigurableApplicationContext start() {
		return new SpringApplicationBuilder(Application.class)
			.properties("server.port=0", "leasehold.engine=jdbc", "leasehold.jdbc.initialize-schema=always",
					"leasehold.leadership.roles=billing", "leasehold.local.enabled=true", "spring.flyway.enabled=false",
					"spring.liquibase.enabled=false",
					"management.endpoints.web.exposure.include=health,locks,leadership,metrics,loggers,threaddump",
					"management.endpoint.health.show-details=always", "management.endpoint.locks.access=unrestricted",
					"management.endpoint.leadership.access=unrestricted")
			.run();
	}

	@EnableAutoConfiguration(exclude = R2dbcAutoConfiguration.class)
	@Configuration(proxyBeanMethods = false)
	static class Application {

	}

}
