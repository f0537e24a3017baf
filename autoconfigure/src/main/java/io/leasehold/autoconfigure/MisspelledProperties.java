package io.leasehold.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Warning at startup about properties whose names are almost those of others, and which
 * therefore have no effect. Known are the names in the metadata of all modules. Variables
 * of the environment are not checked: their names do not tell dots from dashes.
 */
record MisspelledProperties(Environment environment, ClassLoader classes) implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(MisspelledProperties.class);

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("leasehold");

	private static final Pattern NAME = Pattern.compile("\"name\": \"(leasehold\\.[\\w.-]+)\"");

	/** Maximum number of wrong, missing and additional characters. */
	private static final int MOST_ERRORS = 3;

	/** A file that cannot be read does not stop startup. */
	@Override
	public void afterSingletonsInstantiated() {
		try {
			warn(known().collect(Collectors.toSet()));
		}
		catch (IOException ex) {
			logger.debug("The names of properties could not be read", ex);
		}
	}

	private void warn(Set<ConfigurationPropertyName> known) {
		configured().filter((name) -> known.stream().noneMatch((other) -> isPartOf(other, name)))
			.distinct()
			.forEach((name) -> nearest(name, known).ifPresent((other) -> logger
				.warn("Property '%s' is unknown and has no effect. Did you mean '%s'?".formatted(name, other))));
	}

	private Stream<ConfigurationPropertyName> configured() {
		return StreamSupport.stream(ConfigurationPropertySources.get(this.environment).spliterator(), false)
			.filter((source) -> !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource))
			.filter(IterableConfigurationPropertySource.class::isInstance)
			.flatMap((source) -> ((IterableConfigurationPropertySource) source).stream())
			.filter(PREFIX::isAncestorOf);
	}

	private Stream<ConfigurationPropertyName> known() throws IOException {
		StringBuilder metadata = new StringBuilder();
		for (URL file : Collections.list(this.classes.getResources("META-INF/spring-configuration-metadata.json"))) {
			try (InputStream content = file.openStream()) {
				metadata.append(new String(content.readAllBytes(), StandardCharsets.UTF_8));
			}
		}
		return NAME.matcher(metadata)
			.results()
			.map((name) -> name.group(1))
			.filter(ConfigurationPropertyName::isValid)
			.map(ConfigurationPropertyName::of);
	}

	/** Return whether a name is another one, an element of a list, or a key of a map. */
	private static boolean isPartOf(ConfigurationPropertyName known, ConfigurationPropertyName name) {
		return known.equals(name) || known.isAncestorOf(name) && name.isLastElementIndexed();
	}

	private static Optional<ConfigurationPropertyName> nearest(ConfigurationPropertyName name,
			Set<ConfigurationPropertyName> known) {
		return known.stream()
			.filter((other) -> distance(name, other) <= MOST_ERRORS)
			.min(Comparator.comparingInt((other) -> distance(name, other)));
	}

	/** Return the Levenshtein distance of two names, without case and dashes. */
	private static int distance(ConfigurationPropertyName one, ConfigurationPropertyName other) {
		String from = letters(one);
		String to = letters(other);
		int[] row = IntStream.rangeClosed(0, to.length()).toArray();
		for (int i = 1; i <= from.length(); i++) {
			int diagonal = row[0];
			row[0] = i;
			for (int j = 1; j <= to.length(); j++) {
				int replaced = diagonal + ((from.charAt(i - 1) == to.charAt(j - 1)) ? 0 : 1);
				diagonal = row[j];
				row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
			}
		}
		return row[to.length()];
	}

	private static String letters(ConfigurationPropertyName name) {
		return name.toString().replace("-", "").toLowerCase(Locale.ROOT);
	}

}
