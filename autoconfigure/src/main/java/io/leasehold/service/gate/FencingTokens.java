package io.leasehold.service.gate;

/**
 * Fencing tokens of grants. Each grant number has a token for its first hold and for each
 * pass, and greater numbers have greater tokens.
 */
public final class FencingTokens {

	/** Maximum number of passes of a grant with one number. */
	public static final int MOST_PASSES = 63;

	private static final int OF_NUMBER = MOST_PASSES + 1;

	private FencingTokens() {
	}

	/** Return the token of a grant's first hold. */
	public static long first(long number) {
		return number * OF_NUMBER;
	}

	/**
	 * Return the number of the last pass for which a grant has a token.
	 * @param reserved how many further numbers belong to the grant
	 */
	static int lastPass(int reserved) {
		return MOST_PASSES + reserved * OF_NUMBER;
	}

	/**
	 * Return whether a token belongs to a grant or to one of its passes.
	 * @param number the grant number
	 * @param reserved how many further numbers belong to the grant
	 */
	public static boolean isOf(long token, long number, int reserved) {
		long behind = token / OF_NUMBER - number;
		return behind >= 0 && behind <= reserved;
	}

}
