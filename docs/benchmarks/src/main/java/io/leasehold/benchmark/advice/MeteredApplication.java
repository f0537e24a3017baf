package io.leasehold.benchmark.advice;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

import org.springframework.context.annotation.Bean;

/**
 * The same application with meters.
 */
@State(Scope.Thread)
public class MeteredApplication extends Application {

	@Override
	Class<?> configuration() {
		return Metered.class;
	}

	/** The beans of the application, and its meters. */
	static class Metered extends Configuration {

		@Bean
		MeterRegistry registry() {
			return new SimpleMeterRegistry();
		}

	}

}
