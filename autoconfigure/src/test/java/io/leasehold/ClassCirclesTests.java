package io.leasehold;

import java.util.Set;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClassCircles} with classes of a library.
 */
class ClassCirclesTests {

	private final ClassFileImporter importer = new ClassFileImporter();

	@Test
	void classesThatUseEachOtherAreACircle() {
		assertThat(ClassCircles
			.among(this.importer.importClasses(MeterRegistry.class, Counter.class, Counter.Builder.class)))
			.containsExactly(Set.of(MeterRegistry.class.getName(), Counter.class.getName()));
	}

	@Test
	void classesThatOnlyOneUsesAreNone() {
		assertThat(ClassCircles.among(this.importer.importClasses(Counter.class, Meter.class))).isEmpty();
	}

}
