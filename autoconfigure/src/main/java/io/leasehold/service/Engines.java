package io.leasehold.service;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.leasehold.LockOptions;

/**
 * Locks of all engines of one application.
 *
 * @param byName locks of each engine
 * @param defaultEngine name of the engine for the empty name
 */
record Engines(Map<String, EngineLocks> byName, String defaultEngine) {

	Engines {
		find(byName, defaultEngine);
	}

	EngineLocks get(String engine) {
		return find(this.byName, engine.isEmpty() ? this.defaultEngine : engine);
	}

	/**
	 * Return the locks of the engine that options name.
	 * @throws IllegalArgumentException if there is no such engine, or if it does not
	 * support the options
	 */
	EngineLocks supporting(LockOptions options) {
		EngineLocks locks = get(options.engine());
		EngineForms.check(options, locks.engine);
		return locks;
	}

	private static EngineLocks find(Map<String, EngineLocks> byName, String name) {
		EngineLocks locks = byName.get(name);
		if (locks == null) {
			throw new IllegalArgumentException(
					"There is no lock engine '%s', only %s".formatted(name, new TreeSet<>(byName.keySet())));
		}
		return locks;
	}

	Collection<EngineLocks> all() {
		return this.byName.values();
	}

	/** Return the names in alphabetical order. */
	Set<String> names() {
		return new TreeSet<>(this.byName.keySet());
	}

}
