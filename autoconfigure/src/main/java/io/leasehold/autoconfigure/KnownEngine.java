package io.leasehold.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.UrlResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Built-in engine, and what its auto-configuration requires, as described in
 * {@value #LOCATION}. Used in messages only.
 *
 * @param name name of the engine
 * @param description its entries in that file, by their names without the engine's
 */
record KnownEngine(String name, SortedMap<String, String> description) {

	static final String LOCATION = "META-INF/leasehold-engines.properties";

	/**
	 * Return all engines that are described on the classpath, by their names.
	 * @param classLoader class loader of the engines
	 */
	static SortedMap<String, KnownEngine> all(@Nullable ClassLoader classLoader) {
		SortedMap<String, KnownEngine> engines = new TreeMap<>();
		for (URL file : files((classLoader != null) ? classLoader : ClassLoader.getSystemClassLoader())) {
			Properties entries = load(file);
			for (String entry : entries.stringPropertyNames()) {
				int dot = entry.indexOf('.');
				if (dot < 1 || dot == entry.length() - 1) {
					throw invalid(file, "contains '%s', which is not <engine>.<entry>".formatted(entry));
				}
				engines.computeIfAbsent(entry.substring(0, dot),
						(name) -> new KnownEngine(name, new TreeMap<>())).description
					.put(entry.substring(dot + 1), entries.getProperty(entry));
			}
		}
		return engines;
	}

	private static List<URL> files(ClassLoader classLoader) {
		try {
			return Collections.list(classLoader.getResources(LOCATION));
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot read " + LOCATION, ex);
		}
	}

	private static Properties load(URL file) {
		try {
			return PropertiesLoaderUtils.loadProperties(new UrlResource(file));
		}
		catch (IOException | IllegalArgumentException ex) {
			throw invalid(file, "cannot be read (%s)".formatted(ex.getMessage()));
		}
	}

	private static LockEngineConfigurationException invalid(URL file, String problem) {
		return new LockEngineConfigurationException(
				"The description of lock engines in %s %s.".formatted(file, problem),
				"Correct the file, or remove its jar from the class path.");
	}

	boolean hasClient(@Nullable ClassLoader classLoader) {
		return Arrays.stream(StringUtils.commaDelimitedListToStringArray(text("client-classes")))
			.map((names) -> names.split("\\|"))
			.allMatch((names) -> Arrays.stream(names).anyMatch((name) -> ClassUtils.isPresent(name, classLoader)));
	}

	/** Return an entry, which the file explains; empty if it is missing. */
	String text(String entry) {
		return this.description.getOrDefault(entry, "");
	}

}
