package io.leasehold.rewrite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The {@code @DistributedLock} that replaces an annotation, or the reason why there is
 * none.
 */
final class Translation {

	private final Map<String, JavaText> attributes = new LinkedHashMap<>();

	private final List<String> changes = new ArrayList<>();

	private @Nullable String obstacle;

	void set(String attribute, JavaText value) {
		if (value.contains("#{")) {
			leave("%s = %s, where #{...} is not evaluated. Write a value or a placeholder".formatted(attribute,
					value.template()));
		}
		this.attributes.put(attribute, value);
	}

	void set(String attribute, String text) {
		set(attribute, JavaText.of(text));
	}

	/** Limit the lock as a fixed expiry did: after a crash, and while the method runs. */
	void expire(JavaText duration) {
		set("lease", duration);
		set("maxHold", duration);
	}

	/** Add a comment about a meaning that changes. */
	void changes(String comment) {
		this.changes.add(comment);
	}

	/** Leave the annotation in place, because of an attribute without a counterpart. */
	void leave(String obstacle) {
		if (this.obstacle == null) {
			this.obstacle = obstacle;
		}
	}

	@Nullable String obstacle() {
		return this.obstacle;
	}

	List<String> changes() {
		return this.changes;
	}

	String template() {
		return this.attributes.entrySet()
			.stream()
			.map((attribute) -> attribute.getKey() + " = " + attribute.getValue().template())
			.collect(Collectors.joining(", ", "@DistributedLock(", ")"));
	}

	/** Return the expressions of the template, in its order. */
	Object[] arguments() {
		return this.attributes.values().stream().flatMap(JavaText::constants).toArray();
	}

}
