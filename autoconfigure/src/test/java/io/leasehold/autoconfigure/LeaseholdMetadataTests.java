package io.leasehold.autoconfigure;

import java.beans.PropertyDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.Ordered;
import org.springframework.core.type.filter.AnnotationTypeFilter;

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
				.doesNotStartWithIgnoringCase("a ")
				.doesNotStartWithIgnoringCase("an ")
				.doesNotContainIgnoringCase("default value")
				.doesNotContainIgnoringCase("defaults to"));
	}

	@Test
	void everyPropertyOfAClassIsThere() throws ReflectiveOperationException {
		ClassPathScanningCandidateComponentProvider classes = new ClassPathScanningCandidateComponentProvider(false);
		classes.addIncludeFilter(new AnnotationTypeFilter(ConfigurationProperties.class));
		List<String> names = new ArrayList<>();
		for (BeanDefinition found : classes.findCandidateComponents("io.leasehold")) {
			Class<?> type = Class.forName(found.getBeanClassName());
			addProperties(type, type.getAnnotation(ConfigurationProperties.class).value(), names);
		}
		names.removeIf((name) -> !name.startsWith("leasehold."));
		assertThat(names).contains("leasehold.lease", "leasehold.handoff.max-time", "leasehold.jdbc.schema");
		assertThat(properties()).extracting("name", String.class).containsAll(names);
	}

	private static void addProperties(Class<?> type, String prefix, List<String> names) {
		if (type.isRecord()) {
			for (RecordComponent component : type.getRecordComponents()) {
				String name = prefix + "." + DataObjectPropertyName.toDashedForm(component.getName());
				if (component.getType().isRecord()) {
					addProperties(component.getType(), name, names);
				}
				else {
					names.add(name);
				}
			}
			return;
		}
		for (PropertyDescriptor property : BeanUtils.getPropertyDescriptors(type)) {
			String name = prefix + "." + DataObjectPropertyName.toDashedForm(property.getName());
			if (property.getWriteMethod() != null) {
				names.add(name);
			}
		}
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
			.containsExactly(new Binder(List.of()).bindOrCreate("leasehold", LeaseholdProperties.class).order());
	}

	@Test
	void enginesAreHintedAndOthersAllowed() {
		List<String> values = metadata.read("$.hints[?(@.name == 'leasehold.engine')].values[*].value");
		List<String> providers = metadata.read("$.hints[?(@.name == 'leasehold.engine')].providers[*].name");
		assertThat(values).containsExactly("etcd", "hazelcast", "jdbc", "local", "memcached", "redis", "redlock",
				"zookeeper");
		assertThat(providers).containsExactly("any");
	}

	@Test
	void everyHintBelongsToAProperty() {
		List<String> hints = metadata.read("$.hints[*].name");
		assertThat(properties()).extracting("name", String.class).containsAll(hints);
	}

	static List<Map<String, Object>> properties() {
		return metadata.read("$.properties[*]");
	}

}
