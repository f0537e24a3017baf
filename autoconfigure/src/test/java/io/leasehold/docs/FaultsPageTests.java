package io.leasehold.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keeps the table of the faults true. {@code -Dfaults.write} writes it anew.
 */
class FaultsPageTests {

	private static final Path PAGE = Manual.file("docs/design/faults.md");

	private final FaultCatalogue catalogue = new FaultCatalogue(Manual.read(PAGE));

	@Test
	void tableIsThatOfTheTests() throws IOException {
		if (System.getProperty("faults.write") != null) {
			Files.writeString(PAGE, this.catalogue.made());
		}
		assertThat(Manual.read(PAGE)).as("%s, written anew by -Dfaults.write", PAGE).isEqualTo(this.catalogue.made());
	}

	@Test
	void everyFaultIsTestedOnEveryEngineItAppliesTo() {
		assertThat(this.catalogue.open()).isEmpty();
		assertThat(this.catalogue.contradictions()).isEmpty();
	}

	@Test
	void faultsAreNumberedAndTestsNameNoOthers() {
		List<Integer> faults = this.catalogue.faults();
		assertThat(faults).containsExactlyElementsOf(IntStream.rangeClosed(1, faults.size()).boxed().toList());
		assertThat(this.catalogue.unknown()).isEmpty();
	}

}
