package io.leasehold.engine.zookeeper;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leasehold.test.contract.Fault;
import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class NodePathsTests {

	@ParameterizedTest
	@CsvSource({ "order:42, order:42", "a/b, a%2Fb", "., %2E", ".., %2E%2E", "a.b, a.b", "%2F, %252F", "'', %" })
	void operatorsCanReadThem(String text, String segment) {
		assertThat(NodePaths.escape(text)).isEqualTo(segment);
	}

	@Test
	void charactersThatTerminalsObeyAreEscaped() {
		assertThat(NodePaths.escape("~\u007f\u0080 \u001f")).isEqualTo("~%7F%C2%80 %1F");
	}

	/** Whatever the character: it makes a valid segment that no other one makes. */
	@Fault(70)
	@Test
	void everyCharacterIsAValidSegmentOfItsOwn() {
		List<String> segments = Stream
			.concat(IntStream.range(0, Character.MIN_SURROGATE).boxed(),
					IntStream.range(Character.MAX_SURROGATE + 1, 0x20000).boxed())
			.map((c) -> NodePaths.escape(Character.toString(c)))
			.toList();
		assertThat(segments).doesNotHaveDuplicates().allSatisfy((segment) -> {
			PathUtils.validatePath("/" + segment);
			assertThat(segment).doesNotContain("/");
		});
	}

}
