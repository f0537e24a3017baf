package io.leasehold.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

class YamlExamplesTests {

	private static final String KNOWN_TO_METADATA = "(leasehold|spring|management|logging)\\..*";

	private final Metadata metadata = new Metadata();

	@Test
	void everyPropertyOfAnExampleIsThereAndTakesItsValue() {
		List<String> faults = new ArrayList<>();
		int count = 0;
		for (Page page : Manual.pages()) {
			for (Page.Block block : page.blocks("yaml")) {
				for (Map.Entry<Object, Object> entry : parse(block).entrySet()) {
					String name = entry.getKey().toString().replaceFirst("\\[\\d+]$", "");
					if (name.matches(KNOWN_TO_METADATA) && !fits(name, entry.getValue())) {
						faults.add("%s:%d: %s=%s".formatted(page, block.line(), name, entry.getValue()));
					}
					count++;
				}
			}
		}
		assertThat(count).isPositive();
		assertThat(faults).isEmpty();
	}

	private static Properties parse(Page.Block block) {
		YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
		yaml.setResources(new ByteArrayResource(block.text().getBytes()));
		Properties properties = yaml.getObject();
		return (properties != null) ? properties : new Properties();
	}

	private boolean fits(String name, Object value) {
		Metadata.Property property = this.metadata.find(name);
		if (property == null) {
			return false;
		}
		String type = property.type().replaceFirst("<.*", "");
		if (type.startsWith("java.util.") || !ClassUtils.isPresent(type, null)) {
			return true;
		}
		Binder binder = new Binder(new MapConfigurationPropertySource(Map.of("value", value)));
		try {
			return binder.bind("value", Bindable.of(ResolvableType.forClass(ClassUtils.resolveClassName(type, null))))
				.isBound();
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

}
