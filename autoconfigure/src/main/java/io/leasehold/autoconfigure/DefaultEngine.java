package io.leasehold.autoconfigure;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.leasehold.engine.LockEngine;
import org.jspecify.annotations.Nullable;

import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Search for the default engine. Its exceptions name the correction.
 */
final class DefaultEngine {

	private final Collection<LockEngine> engines;

	private final Set<String> names;

	private final SortedMap<String, KnownEngine> known;

	private final @Nullable ClassLoader classLoader;

	private DefaultEngine(Collection<LockEngine> engines, @Nullable ClassLoader classLoader) {
		this.engines = engines;
		this.names = engines.stream().map(LockEngine::name).collect(Collectors.toCollection(TreeSet::new));
		this.known = KnownEngine.all(classLoader);
		this.classLoader = classLoader;
	}

	/**
	 * Find the default engine.
	 * @param named value of {@code leasehold.engine}
	 * @param beans all engines of the application, by the names of their beans
	 * @param classLoader class loader of the client libraries
	 * @throws LockEngineConfigurationException if there is none
	 */
	static LockEngine find(@Nullable String named, Map<String, LockEngine> beans, @Nullable ClassLoader classLoader) {
		refuseEqualNames(beans);
		DefaultEngine search = new DefaultEngine(beans.values(), classLoader);
		return StringUtils.hasText(named) ? search.byName(named) : search.theOnlyOne();
	}

	private static void refuseEqualNames(Map<String, LockEngine> beans) {
		Map<String, String> seen = new HashMap<>();
		new TreeMap<>(beans).forEach((name, engine) -> {
			String bean = "bean '%s' (%s)".formatted(name, engine.getClass().getName());
			String other = seen.putIfAbsent(engine.name(), bean);
			if (other != null) {
				throw new LockEngineConfigurationException(
						"Two lock engines are named '%s': %s and %s.".formatted(engine.name(), other, bean),
						"Let each bean of type " + LockEngine.class.getName()
								+ " return a different name from name(), or remove one of them.");
			}
		});
	}

	/** Fail if an engine is missing that {@code leasehold.<name>.enabled} requires. */
	static void checkEnabled(Environment environment, Collection<LockEngine> engines,
			@Nullable ClassLoader classLoader) {
		DefaultEngine search = new DefaultEngine(engines, classLoader);
		for (KnownEngine engine : search.known.values()) {
			String property = "leasehold.%s.enabled".formatted(engine.name());
			if (!search.names.contains(engine.name()) && environment.getProperty(property, Boolean.class, false)) {
				throw search.notSetUp(engine, property + " is 'true'");
			}
		}
	}

	private LockEngine byName(String name) {
		return this.engines.stream()
			.filter((engine) -> engine.name().equals(name))
			.findFirst()
			.orElseThrow(() -> this.known.containsKey(name)
					? notSetUp(this.known.get(name), "leasehold.engine is '%s'".formatted(name)) : unknown(name));
	}

	private LockEngine theOnlyOne() {
		if (this.engines.isEmpty()) {
			throw none();
		}
		if (this.engines.size() > 1) {
			throw several();
		}
		return this.engines.iterator().next();
	}

	private LockEngineConfigurationException none() {
		String steps = this.known.values()
			.stream()
			.map((engine) -> engine.text("first-steps"))
			.filter(StringUtils::hasText)
			.map("    - %s\n"::formatted)
			.collect(Collectors.joining());
		return new LockEngineConfigurationException(
				"leasehold.engine is not set, and no client of a lock engine is configured.",
				"Do one of these:\n\n%s    - for another store, define a bean of type %s".formatted(steps,
						LockEngine.class.getName()));
	}

	private LockEngineConfigurationException several() {
		return new LockEngineConfigurationException(
				"leasehold.engine is not set, and several lock engines are available: %s."
					.formatted(quoted(this.names)),
				"Set leasehold.engine to the default engine. "
						+ "To use another one as well, set its leasehold.<name>.enabled to true; "
						+ "an engine bean of the application is always available.");
	}

	private LockEngineConfigurationException notSetUp(KnownEngine engine, String wanted) {
		if (!engine.hasClient(this.classLoader)) {
			return new LockEngineConfigurationException(
					"%s, but the client of that engine is not on the classpath.".formatted(wanted),
					"Add %s, or set leasehold.engine to another engine.".formatted(engine.text("artifacts")));
		}
		return new LockEngineConfigurationException(
				"%s, but the client of that engine is not configured.".formatted(wanted),
				"Configure it with %s, and make sure that %s is not excluded. Start with --debug to see why it did not match."
					.formatted(engine.text("properties"), engine.text("auto-configuration")));
	}

	private LockEngineConfigurationException unknown(String name) {
		Set<String> known = new TreeSet<>(this.names);
		known.addAll(this.known.keySet());
		return new LockEngineConfigurationException(
				"leasehold.engine is '%s', but there is no lock engine of that name, only %s.".formatted(name,
						quoted(known)),
				"Use one of them, or define a bean of type %s that has this name."
					.formatted(LockEngine.class.getName()));
	}

	private static String quoted(Collection<String> names) {
		return names.stream().map("'%s'"::formatted).collect(Collectors.joining(", "));
	}

}
