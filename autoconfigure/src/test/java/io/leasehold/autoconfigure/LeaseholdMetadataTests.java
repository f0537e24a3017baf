package io.leasehold.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.List;
import java.util.Map;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.core.Ordered;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseholdMetadataTests {

	private static DocumentContext metadata;

	@BeforeAll
	static void read() throws IOException {
		URL classFile = LeaseholdProperties.class.getResource("LeaseholdProperties.class");
		String root = classFile.toString().replaceAll("io/leasehold/.*", "");
		try (InputStream json = new URL(root + "META-INF/spring-configuration-metadata.json").openStream()) {
			metadata = JsonPath.parse(json);
		}
	}

	@Test
	void everyPropertyHasADescription() {
		assertThat(properties()).hasSizeGreaterThanOrEqualTo(14)
			.allSatisfy((property) -> assertThat((String) property.get("description")).as("%s", property.get("name"))
				.isNotBlank()
				.endsWith(".")
				.doesNotContain("{@")
				.doesNotStartWithIgnoringCase("the ")
				.doesNotStartWithIgnoringCase("a "));
	}

	@Test
	void descriptionsOfBooleansBeginWithWhether() {
		assertThat(properties()).filteredOn("type", "java.lang.Boolean")
			.isNotEmpty()
			.allSatisfy((property) -> assertThat((String) property.get("description")).as("%s", property.get("name"))
				.startsWith("Whether "));
	}

	@Test
	void everyPropertyHasAType() {
		assertThat(properties()).allSatisfy(
				(property) -> assertThat((String) property.get("type")).as("%s", property.get("name")).isNotBlank());
	}

	@Test
	void everyPropertyIsOurs() {
		assertThat(properties()).extracting("name", String.class)
			.allMatch((name) -> name.startsWith("leasehold.") || name.startsWith("management."));
	}

	@Test
	void orderHasTheDefaultThatTheClassHas() {
		List<Integer> value = metadata.read("$.properties[?(@.name == 'leasehold.order')].defaultValue");
		assertThat(value).containsExactly(Ordered.LOWEST_PRECEDENCE - 100)
			.containsExactly(new LeaseholdProperties().getOrder());
	}

	@Test
	void enginesAreHintedAndOthersAllowed() {
		List<String> values = metadata.read("$.hints[?(@.name == 'leasehold.engine')].values[*].value");
		List<String> providers = metadata.read("$.hints[?(@.name == 'leasehold.engine')].providers[*].name");
		assertThat(values).containsExactly("jdbc", "local", "redis", "zookeeper");
		assertThat(providers).containsExactly("any");
	}

	@Test
	void everyHintBelongsToAProperty() {
		List<String> hints = metadata.read("$.hints[*].name");
		assertThat(properties()).extracting("name", String.class).containsAll(hints);
	}

	private static List<Map<String, Object>> properties() {
		return metadata.read("$.properties[*]");
	}

}
