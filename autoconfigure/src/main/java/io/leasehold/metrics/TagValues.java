package io.leasehold.metrics;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Factory of meters for each value of a tag: the constants of an enum in lower case.
 */
final class TagValues {

	private TagValues() {
	}

	/**
	 * Register a meter for each value.
	 * @param type the enum
	 * @param meter registers the meter for a value of the tag
	 */
	static <E extends Enum<E>, M> Map<E, M> each(Class<E> type, Function<String, M> meter) {
		Map<E, M> meters = new EnumMap<>(type);
		for (E constant : type.getEnumConstants()) {
			meters.put(constant, meter.apply(constant.name().toLowerCase(Locale.ROOT)));
		}
		return meters;
	}

	static <E extends Enum<E>, M> M meter(Map<E, M> meters, E constant) {
		return Objects.requireNonNull(meters.get(constant));
	}

}
