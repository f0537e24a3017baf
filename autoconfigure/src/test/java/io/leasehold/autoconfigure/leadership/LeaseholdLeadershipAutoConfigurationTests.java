package io.leasehold.autoconfigure.leadership;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import com.hazelcast.core.HazelcastInstance;
import io.leasehold.LockInspector;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import io.leasehold.autoconfigure.StubEngine;
import io.leasehold.autoconfigure.actuate.LeaseholdHealthAutoConfiguration;
import io.leasehold.autoconfigure.actuate.LeaseholdMetricsAutoConfiguration;
import io.leasehold.autoconfigure.hazelcast.LeaseholdHazelcastAutoConfiguration;
import io.leasehold.autoconfigure.memcached.LeaseholdMemcachedAutoConfiguration;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.leadership.Candidate;
import io.leasehold.leadership.Leadership;
import io.leasehold.leadership.LeadershipGrantedEvent;
import io.leasehold.leadership.LeadershipRevokedEvent;
import io.leasehold.leadership.Leaderships;
import io.leasehold.leadership.RevocationCause;
import io.leasehold.server.HazelcastTestCluster;
import io.leasehold.service.LockService;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaseholdLeadershipAutoConfiguration}.
 */
class LeaseholdLeadershipAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class,
				LeaseholdLocalAutoConfiguration.class, LeaseholdLeadershipAutoConfiguration.class))
		.withPropertyValues("leasehold.engine=local");

	@Test
	void nothingIsThereWithoutRoles() {
		this.runner.run((context) -> assertThat(context).doesNotHaveBean(Leaderships.class)
			.doesNotHaveBean(Leadership.class)
			.doesNotHaveBean("leaseholdLeadershipLifecycle"));
		this.runner.withPropertyValues("leasehold.leadership.roles=${ROLES:}")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Leaderships.class));
	}

	@Test
	void applicationCreatesTheCandidatesItself() {
		this.runner.withPropertyValues("leasehold.leadership.roles=billing,indexer")
			.withUserConfiguration(OwnCandidates.class, Jobs.class)
			.run((context) -> {
				Jobs jobs = context.getBean(Jobs.class);
				assertThat(context.getBean(Leaderships.class).of("indexer")).isSameAs(jobs.indexer);
				await().until(() -> jobs.billing.isLeader() && jobs.indexer.isLeader());
			});
	}

	@Test
	void beanOfEachRoleHasItsQualifier() {
		this.runner.withPropertyValues("leasehold.leadership.roles=billing,indexer")
			.withUserConfiguration(Jobs.class)
			.run((context) -> {
				Jobs jobs = context.getBean(Jobs.class);
				assertThat(jobs.billing.role()).isEqualTo("billing");
				assertThat(jobs.indexer.role()).isEqualTo("indexer");
				assertThat(context.getBean(Leaderships.class).of("billing")).isSameAs(jobs.billing);
				assertThatIllegalArgumentException().isThrownBy(() -> context.getBean(Leaderships.class).of("billling"))
					.withMessageContaining("'billling'")
					.withMessageContaining("[billing, indexer]");
				await().until(() -> jobs.billing.isLeader() && jobs.indexer.isLeader());
			});
	}

	@Test
	void onlyRoleNeedsNoQualifier() {
		this.runner.withPropertyValues("leasehold.leadership.roles[0]=billing")
			.run((context) -> await().until(context.getBean(Leadership.class)::isLeader));
	}

	@Test
	void termsAreEventsAndEndWithTheApplication() {
		List<Object> events = new CopyOnWriteArrayList<>();
		LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);
		this.runner.withPropertyValues("leasehold.leadership.roles=billing")
			.withBean("leaseholdLocalLockEngine", LocalLockEngine.class, () -> store)
			.withBean(Listener.class, () -> new Listener(events))
			.run((context) -> {
				await().until(() -> events.size() == 1);
				assertThat(store.size()).isOne();
				context.close();
				assertThat(store.size()).isZero();
			});
		LeadershipGrantedEvent granted = (LeadershipGrantedEvent) events.get(0);
		assertThat(events).containsExactly(new LeadershipGrantedEvent("billing", granted.term()),
				new LeadershipRevokedEvent("billing", granted.term(), RevocationCause.SHUTDOWN));
	}

	@Test
	void applicationThatIsStoppedAndStartedLeadsAgain() {
		List<Object> events = new CopyOnWriteArrayList<>();
		this.runner.withPropertyValues("leasehold.leadership.roles=billing")
			.withBean(Listener.class, () -> new Listener(events))
			.run((context) -> {
				Leadership leadership = context.getBean(Leadership.class);
				await().until(() -> events.size() == 1);
				long term = leadership.term().orElseThrow();
				context.stop();
				assertThat(leadership.isLeader()).isFalse();
				assertThat(events).hasSize(2);
				assertThat(context.getBean(LocalLockEngine.class).size()).isZero();
				context.start();
				await().until(() -> events.size() == 3);
				assertThat(leadership.term().orElseThrow()).isGreaterThan(term);
			});
	}

	/** No task or request that still runs begins the work of a leader. */
	@Test
	void applicationThatIsClosingLeadsNoMoreAndIsNoCandidate() {
		LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);
		ApplicationContextRunner sharing = this.runner.withPropertyValues("leasehold.leadership.roles=billing")
			.withBean("leaseholdLocalLockEngine", LocalLockEngine.class, () -> store)
			.withBean(WebServer.class);
		AtomicReference<WebServer> candidates = new AtomicReference<>();
		AtomicReference<WebServer> leaders = new AtomicReference<>();
		sharing.run((leader) -> {
			leaders.set(leader.getBean(WebServer.class));
			await().until(leader.getBean(Leadership.class)::isLeader);
			sharing.run((candidate) -> {
				candidates.set(candidate.getBean(WebServer.class));
				await().until(() -> !candidate.getBean(LockInspector.class).overview().waiting().isEmpty());
			});
		});
		assertThat(candidates.get().endedBefore).isTrue();
		assertThat(leaders.get().endedBefore).isTrue();
	}

	@Test
	void childUsesTheCandidatesOfItsParent() {
		ApplicationContextRunner withRole = this.runner.withPropertyValues("leasehold.leadership.roles=billing");
		withRole.run((parent) -> withRole.withParent(parent)
			.run((child) -> assertThat(child.getBean(Leadership.class)).isSameAs(parent.getBean(Leadership.class))));
	}

	/** They lose data without notice, or grant a lock twice. */
	@ParameterizedTest
	@ValueSource(strings = { "hazelcast", "memcached" })
	void engineThatCanHaveTwoLeadersIsRefusedByName(String name) {
		ApplicationContextRunner weak = this.runner
			.withConfiguration(AutoConfigurations.of(LeaseholdHazelcastAutoConfiguration.class,
					LeaseholdMemcachedAutoConfiguration.class))
			.withBean("member", HazelcastInstance.class, HazelcastTestCluster::shared,
					(definition) -> definition.setDestroyMethodName(""))
			.withPropertyValues("leasehold.leadership.roles=billing", "leasehold.leadership.engine=" + name,
					"leasehold.hazelcast.enabled=true", "leasehold.memcached.enabled=true",
					"leasehold.memcached.servers=127.0.0.1:1");
		weak.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(InvalidConfigurationPropertyValueException.class)
			.hasMessageContaining("leasehold.leadership.engine")
			.hasMessageContaining(name)
			.hasMessageContaining("There could be two leaders"));
		weak.withPropertyValues("leasehold.leadership.best-effort=true")
			.run((context) -> assertThat(context).hasSingleBean(Leadership.class));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "engine=redis|There is no lock engine", "lease=1ms|cannot renew a lease",
					"lease=-1s|lease must be between", "lease=400d|lease must be between", "roles=a,,b|is blank",
					"roles=${long}|512" })
	void valueThatCannotBeObeyedFailsStartup(String property, String reason) {
		this.runner.withBean("stub", LockEngine.class, () -> new StubEngine("stub"))
			.withPropertyValues("long=" + "r".repeat(512), "leasehold.leadership.roles=billing",
					"leasehold.leadership.engine=stub", "leasehold.leadership." + property)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("leasehold.leadership." + property.replaceFirst("=.*", ""))
				.hasStackTraceContaining(reason));
	}

	@Test
	void everyInstanceLeadsWithoutLocks() {
		this.runner
			.withPropertyValues("leasehold.enabled=false", "leasehold.leadership.roles=billing",
					"leasehold.leadership.engine=redis")
			.run((context) -> await().until(context.getBean(Leadership.class)::isLeader));
	}

	@Test
	void metersAndHealthShowWhetherThisInstanceLeads() {
		this.runner
			.withConfiguration(AutoConfigurations.of(LeaseholdMetricsAutoConfiguration.class,
					LeaseholdHealthAutoConfiguration.class))
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues("leasehold.leadership.roles=billing")
			.run((context) -> {
				Leadership leadership = context.getBean(Leadership.class);
				SimpleMeterRegistry meters = context.getBean(SimpleMeterRegistry.class);
				context.getBeansOfType(MeterBinder.class).values().forEach((binder) -> binder.bindTo(meters));
				CompositeHealthContributor locks = context.getBean(CompositeHealthContributor.class);
				HealthIndicator health = (HealthIndicator) locks.getContributor("leadership");
				await().until(leadership::isLeader);
				assertThat(meters.get("leasehold.leader").tag("role", "billing").gauge().value()).isOne();
				assertThat(health.health().getDetails()).containsEntry("billing",
						"leads, term " + leadership.term().orElseThrow());
				leadership.stepDown(Duration.ofHours(1));
				await().until(() -> !leadership.isLeader());
				assertThat(meters.get("leasehold.leader").tag("role", "billing").gauge().value()).isZero();
				assertThat(meters.get("leasehold.terms").tag("role", "billing").functionCounter().count()).isOne();
				assertThat(health.health().getStatus()).isEqualTo(Status.UP);
				assertThat(health.health().getDetails()).containsEntry("billing", "does not lead");
				assertThat(meters.find("leasehold.acquire").timers()).isEmpty();
			});
	}

	static class Jobs {

		final Leadership billing;

		final Leadership indexer;

		Jobs(@Qualifier("billing") Leadership billing, @Qualifier("indexer") Leadership indexer) {
			this.billing = billing;
			this.indexer = indexer;
		}

	}

	/** It stops first. */
	static class WebServer implements SmartLifecycle {

		private final Leadership leadership;

		private final LockInspector locks;

		private volatile boolean running;

		private volatile boolean endedBefore;

		WebServer(Leadership leadership, LockInspector locks) {
			this.leadership = leadership;
			this.locks = locks;
		}

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
			await().until(() -> !this.leadership.isLeader() && this.locks.overview().waiting().isEmpty());
			this.endedBefore = true;
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

	}

	static class OwnCandidates {

		@Bean
		Leaderships ownCandidates(LockService locks, ApplicationEventPublisher events) {
			return new Leaderships(Stream.of("billing", "indexer")
				.map((role) -> new Candidate(role, locks, locks.defaults(), events::publishEvent))
				.toList());
		}

	}

	static class Listener {

		private final List<Object> events;

		Listener(List<Object> events) {
			this.events = events;
		}

		@EventListener
		void granted(LeadershipGrantedEvent event) {
			this.events.add(event);
		}

		@EventListener
		void revoked(LeadershipRevokedEvent event) {
			this.events.add(event);
		}

	}

}
