package io.leasehold.docs;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class JavaExamplesTests {

	@Test
	void everyExampleCompiles(@TempDir Path classes) {
		JavaExamples examples = new JavaExamples(Manual.pages());
		assertThat(examples.count()).isPositive();
		assertThat(examples.compile(classes)).isEmpty();
	}

}
