package io.leasehold.interceptor;

import io.leasehold.annotation.DistributedLock;
import io.leasehold.observation.LockObservations;
import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.observation.tck.TestObservationRegistry;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the observations of publishers, whose parent is in the subscriber's context,
 * as WebFlux leaves it there by default.
 */
class SubscriberObservationTests {

	@Test
	void observationsOfAPublisherAreChildrenOfItsSubscribers() {
		Locked.runner(Observed.class, Orders.class).run((context) -> {
			TestObservationRegistry registry = context.getBean(TestObservationRegistry.class);
			Observation request = Observation.start("request", registry);
			assertThat(context.getBean(Orders.class)
				.pay()
				.contextWrite((view) -> view.put(ObservationThreadLocalAccessor.KEY, request))
				.block(Locked.SOON)).isEqualTo("paid");
			assertThat(registry.getCurrentObservation()).isNull();
			for (String name : new String[] { "leasehold.lock.acquire", "leasehold.lock.hold" }) {
				assertThat(registry).hasObservationWithNameEqualTo(name).that().hasParentObservationEqualTo(request);
			}
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Observed {

		@Bean
		TestObservationRegistry registry() {
			return TestObservationRegistry.create();
		}

		@Bean
		LockObservations observations(TestObservationRegistry registry) {
			return new LockObservations(registry, null, null);
		}

	}

	static class Orders {

		@DistributedLock(key = "'order'")
		public Mono<String> pay() {
			return Mono.just("paid");
		}

	}

}
