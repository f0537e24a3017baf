package io.leasehold.docs;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import com.jayway.jsonpath.JsonPath;
import org.jspecify.annotations.Nullable;

/**
 * What IDEs know of the configuration properties on the class path.
 */
final class Metadata {

	private final Map<String, Property> properties = new TreeMap<>();

	Metadata() {
		try {
			for (URL json : Collections
				.list(getClass().getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
				add(json);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void add(URL json) throws IOException {
		try (InputStream in = json.openStream()) {
			List<Map<String, Object>> found = JsonPath.parse(in).read("$.properties[*]");
			for (Map<String, Object> property : found) {
				String name = (String) property.get("name");
				this.properties.put(name, new Property(name, String.valueOf(property.get("type")),
						property.get("defaultValue"), String.valueOf(property.get("description"))));
			}
		}
	}

	/** Properties of the library itself, and what it adds to the management of others. */
	List<Property> ours() {
		return this.properties.values()
			.stream()
			.filter((property) -> property.name.startsWith("leasehold.")
					|| property.name.matches("management\\..*(locks|leasehold).*"))
			.toList();
	}

	/** Find a property, by its name or by that of the map that it is an entry of. */
	@Nullable Property find(String name) {
		for (String candidate = name; candidate.contains("."); candidate = candidate.replaceFirst("\\.[^.]*$", "")) {
			Property found = this.properties.get(candidate);
			if (found != null && (candidate.equals(name) || found.type.startsWith("java.util.Map"))) {
				return found;
			}
		}
		return null;
	}

	Set<String> names() {
		return this.properties.keySet();
	}

	/** A property. */
	record Property(String name, String type, @Nullable Object defaultValue, String description) {

		/** The type as the manual writes it. */
		String shortType() {
			return this.type.replaceAll("[\\w.]*[.$](\\w+)", "$1");
		}

	}

}
