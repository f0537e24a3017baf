package io.leasehold.starter;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Graph of this module's dependencies, as Maven resolved it, and the jars of its
 * artifacts.
 */
final class Dependencies {

	private static final Pattern EDGE = Pattern
		.compile("\"\\(?[\\w.-]+:([\\w.-]+):jar:[^\"]*\" -> \"\\(?[\\w.-]+:([\\w.-]+):jar:[^\"]*\"");

	private static final Pattern JAR = Pattern.compile("\\s+[\\w.-]+:([\\w.-]+):jar:.*?:(/[^:]+\\.jar)( .*)?");

	private final Map<String, Set<String>> graph = new LinkedHashMap<>();

	private final Map<String, Set<URL>> jars = new LinkedHashMap<>();

	/**
	 * Read the files that Maven wrote.
	 * @param build directory of the files
	 */
	Dependencies(Path build) throws IOException {
		for (String line : Files.readAllLines(build.resolve("dependencies.dot"))) {
			Matcher edge = EDGE.matcher(line);
			if (edge.find()) {
				this.graph.computeIfAbsent(edge.group(1), (from) -> new LinkedHashSet<>()).add(edge.group(2));
			}
		}
		for (String line : Files.readAllLines(build.resolve("dependencies.txt"))) {
			Matcher jar = JAR.matcher(line);
			if (jar.matches()) {
				this.jars.computeIfAbsent(jar.group(1), (artifact) -> new LinkedHashSet<>())
					.add(url(Path.of(jar.group(2))));
			}
		}
	}

	/** Return the artifacts that the module names itself. */
	Set<String> direct() {
		return this.graph.get("leasehold-starter-tests");
	}

	/** Return the jars of artifacts and of all that they depend on. */
	Set<URL> classPath(Collection<String> artifacts) {
		Set<String> reached = new LinkedHashSet<>();
		Deque<String> open = new ArrayDeque<>(artifacts);
		while (!open.isEmpty()) {
			String artifact = open.remove();
			if (reached.add(artifact)) {
				open.addAll(this.graph.getOrDefault(artifact, Set.of()));
			}
		}
		Set<URL> classPath = new LinkedHashSet<>();
		reached.forEach((artifact) -> classPath.addAll(this.jars.getOrDefault(artifact, Set.of())));
		return classPath;
	}

	static URL url(Path path) {
		try {
			return path.toUri().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
