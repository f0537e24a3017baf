package io.leasehold.engine;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.leasehold.LockMode;
import io.leasehold.LockTerms;

/**
 * Access of an owner to a key: exclusive, shared, or one of several permits. All owners
 * that hold a key concurrently have the same access.
 *
 * @param kind kind of access
 * @param limit maximum number of concurrent owners
 */
public record Access(Kind kind, int limit) {

	/** One owner. */
	public static final Access EXCLUSIVE = new Access(Kind.EXCLUSIVE, 1);

	/** Any number of owners. */
	public static final Access SHARED = new Access(Kind.SHARED, Integer.MAX_VALUE);

	private static final Pattern CODE = Pattern.compile("x|s|[1-9]\\d{0,8}");

	/**
	 * Create an access for a limited number of owners.
	 * @param number number of permits, at least one
	 * @return an access that is compatible only with the same number of permits
	 */
	public static Access permits(int number) {
		return new Access(Kind.PERMITS, number);
	}

	/**
	 * Return the access that terms require.
	 * @param terms terms of the lock
	 * @return the access
	 */
	public static Access of(LockTerms terms) {
		if (terms.permits() > 0) {
			return permits(terms.permits());
		}
		return (terms.mode() == LockMode.SHARED) ? SHARED : EXCLUSIVE;
	}

	/**
	 * Parse a text of {@link #code()}.
	 * @param code the text
	 * @return the access
	 * @throws IllegalArgumentException if the text was not written by Leasehold
	 */
	public static Access parse(String code) {
		Matcher valid = CODE.matcher(code);
		if (!valid.matches()) {
			throw new IllegalArgumentException("'%s' is not an access to a lock".formatted(code));
		}
		return switch (code) {
			case "x" -> EXCLUSIVE;
			case "s" -> SHARED;
			default -> permits(Integer.parseInt(code));
		};
	}

	/**
	 * Return a short text for storage.
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
	 * Return whether another owner is compatible with the present owners of a key.
	 * @param held the access of the present owners
	 * @param owners their number, zero if the key is free
	 * @return whether the key may be granted with this access as well
	 */
	public boolean joins(Access held, int owners) {
		return owners == 0 || equals(held) && owners < this.limit;
	}

	/**
	 * Return whether this access includes another.
	 * @param wanted the other access
	 * @return whether it is the same, or this one is exclusive
	 */
	public boolean covers(Access wanted) {
		return equals(wanted) || this.kind == Kind.EXCLUSIVE;
	}

	/** Return whether this access takes one permit: its kind is {@link Kind#PERMITS}. */
	public boolean isPermit() {
		return this.kind == Kind.PERMITS;
	}

	/**
	 * Return whether this access and another have different numbers of permits.
	 * @param held the access of those who hold a key
	 * @return whether both have permits, but not the same number
	 */
	public boolean contradicts(Access held) {
		return this.kind == Kind.PERMITS && held.kind == Kind.PERMITS && this.limit != held.limit;
	}

	/** Return a description, such as {@code exclusive} or {@code 10 permits}. */
	@Override
	public String toString() {
		return switch (this.kind) {
			case EXCLUSIVE -> "exclusive";
			case SHARED -> "shared";
			case PERMITS -> (this.limit == 1) ? "1 permit" : this.limit + " permits";
		};
	}

	/**
	 * Kind of access.
	 */
	public enum Kind {

		/** One owner. */
		EXCLUSIVE,

		/** Any number of owners. */
		SHARED,

		/** A fixed number of owners. */
		PERMITS

	}

}
