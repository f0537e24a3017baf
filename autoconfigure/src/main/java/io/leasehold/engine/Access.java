package io.leasehold.engine;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.leasehold.LockMode;
import io.leasehold.LockOptions;

/**
 * How the owners of one key go together. Those who hold a key at the same time all have
 * the same access.
 *
 * @param kind what kind of access it is
 * @param limit how many owners there may be at once
 */
public record Access(Kind kind, int limit) {

	/** One owner. */
	public static final Access EXCLUSIVE = new Access(Kind.EXCLUSIVE, 1);

	/** Any number of owners. */
	public static final Access SHARED = new Access(Kind.SHARED, Integer.MAX_VALUE);

	private static final Pattern CODE = Pattern.compile("x|s|[1-9]\\d{0,8}");

	/**
	 * Create an access for a limited number of owners.
	 * @param number how many, at least one
	 * @return an access that goes together with others of the same number only
	 */
	public static Access permits(int number) {
		return new Access(Kind.PERMITS, number);
	}

	/**
	 * Return the access that some options ask for.
	 * @param options how a lock is to be taken
	 * @return the access
	 */
	public static Access of(LockOptions options) {
		if (options.permits() > 0) {
			return permits(options.permits());
		}
		return (options.mode() == LockMode.SHARED) ? SHARED : EXCLUSIVE;
	}

	/**
	 * Read what {@link #code()} wrote.
	 * @param code such a text
	 * @return the access
	 * @throws IllegalArgumentException if the text is of foreign make
	 */
	public static Access parse(String code) {
		Matcher valid = CODE.matcher(code);
		if (!valid.matches()) {
			throw new IllegalArgumentException("'%s' is no access to a lock".formatted(code));
		}
		return switch (code) {
			case "x" -> EXCLUSIVE;
			case "s" -> SHARED;
			default -> permits(Integer.parseInt(code));
		};
	}

	/**
	 * Return a short text for stores.
	 * @return {@code x}, {@code s} or the number of permits
	 */
	public String code() {
		return switch (this.kind) {
			case EXCLUSIVE -> "x";
			case SHARED -> "s";
			case PERMITS -> Integer.toString(this.limit);
		};
	}

	/**
	 * Return whether one more owner goes together with those who hold a key.
	 * @param held the access of those who hold it
	 * @param owners how many they are, zero if the key is free
	 * @return whether the key may be granted with this access, too
	 */
	public boolean joins(Access held, int owners) {
		return owners == 0 || equals(held) && owners < this.limit;
	}

	/**
	 * Return whether an owner of this access may do what one of another may.
	 * @param wanted the other access
	 * @return whether it is the same, or this one is exclusive
	 */
	public boolean covers(Access wanted) {
		return equals(wanted) || this.kind == Kind.EXCLUSIVE;
	}

	/**
	 * Return whether this access takes one of a limited number of permits.
	 * @return whether its kind is {@link Kind#PERMITS}
	 */
	public boolean isPermit() {
		return this.kind == Kind.PERMITS;
	}

	/**
	 * Return whether owners of this access and of another contradict each other about the
	 * number of permits.
	 * @param held the access of those who hold a key
	 * @return whether both have permits, but not the same number
	 */
	public boolean contradicts(Access held) {
		return this.kind == Kind.PERMITS && held.kind == Kind.PERMITS && this.limit != held.limit;
	}

	/**
	 * Return this access for people.
	 * @return such as {@code exclusive}, {@code shared} or {@code 10 permits}
	 */
	@Override
	public String toString() {
		return switch (this.kind) {
			case EXCLUSIVE -> "exclusive";
			case SHARED -> "shared";
			case PERMITS -> (this.limit == 1) ? "1 permit" : this.limit + " permits";
		};
	}

	/**
	 * Kinds of access.
	 */
	public enum Kind {

		/** One owner alone. */
		EXCLUSIVE,

		/** Any number of owners. */
		SHARED,

		/** A fixed number of owners. */
		PERMITS

	}

}
