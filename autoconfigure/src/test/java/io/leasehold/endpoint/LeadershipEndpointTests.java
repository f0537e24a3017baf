package io.leasehold.endpoint;

import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.leadership.Leadership;
import io.leasehold.server.LocalHttp;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeadershipEndpoint} over HTTP, with Boot around it.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeadershipEndpointTests {

	private final ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
		.properties("server.port=0", "spring.application.name=shop", "leasehold.engine=local",
				"leasehold.leadership.roles=billing", "management.endpoints.web.exposure.include=leadership",
				"management.endpoint.leadership.access=unrestricted", "spring.flyway.enabled=false",
				"spring.liquibase.enabled=false")
		.run();

	private final Leadership leadership = this.context.getBean(Leadership.class);

	@BeforeEach
	void elect() {
		await().until(this.leadership::isLeader);
	}

	@AfterEach
	void stop() {
		this.context.close();
	}

	@Test
	void showsInWhichRolesThisProcessLeads() throws Exception {
		JsonNode billing = json(send("GET", "")).path(0);
		assertThat(billing.path("role").asString()).isEqualTo("billing");
		assertThat(billing.path("leads").asBoolean()).isTrue();
		assertThat(billing.path("term").asString()).isEqualTo(Long.toString(this.leadership.term().orElseThrow()));
		assertThat(Instant.parse(billing.path("since").asString())).isBefore(Instant.now());
		assertThat(billing.hasNonNull("leaders")).isFalse();
	}

	@Test
	void showsWhoLeads() throws Exception {
		JsonNode leader = json(send("GET", "/billing")).path("leaders").path(0);
		assertThat(leader.path("application").asString()).isEqualTo("shop");
		assertThat(leader.path("process").asLong()).isEqualTo(ProcessHandle.current().pid());
		this.context.getBean(LocalLockEngine.class).faults().setDown(true);
		assertThat(json(send("GET", "/billing")).path("failure").asString()).contains("leasehold:role:billing");
	}

	@Test
	void leaderStepsDownWhichIsLoggedAndAudited(CapturedOutput output) throws Exception {
		assertThat(json(send("DELETE", "/billing?pause=1h")).path("leads").asBoolean()).isTrue();
		await().until(() -> this.context.getBean(LocalLockEngine.class).size() == 0);
		JsonNode billing = json(send("GET", "/billing"));
		assertThat(billing.path("leads").asBoolean()).isFalse();
		assertThat(billing.path("leaders").isEmpty()).isTrue();
		assertThat(output).contains("Step-down in role 'billing' for PT1H was requested by 'unknown'");
		assertThat(this.context.getBean(Application.class).audits).singleElement().satisfies((audit) -> {
			assertThat(audit.getType()).isEqualTo(LeadershipEndpoint.STEP_DOWN);
			assertThat(audit.getData()).containsEntry("role", "billing").containsEntry("pause", "PT1H");
		});
	}

	@Test
	void rejectsAnUnknownRoleAndANegativePause() throws Exception {
		assertThat(send("GET", "/billling").statusCode()).isEqualTo(400);
		for (String pause : List.of("-1h", "60", "soon")) {
			assertThat(send("DELETE", "/billing?pause=" + pause).statusCode()).as(pause).isEqualTo(400);
		}
		assertThat(this.leadership.isLeader()).isTrue();
	}

	private HttpResponse<String> send(String method, String path) {
		int port = this.context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
		return LocalHttp.send(method, port, "/actuator/leadership" + path);
	}

	private static JsonNode json(HttpResponse<String> response) {
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		return new JsonMapper().readTree(response.body());
	}

	@EnableAutoConfiguration
	@Configuration(proxyBeanMethods = false)
	static class Application {

		private final List<AuditEvent> audits = new CopyOnWriteArrayList<>();

		@EventListener
		void audited(AuditApplicationEvent event) {
			this.audits.add(event.getAuditEvent());
		}

	}

}
