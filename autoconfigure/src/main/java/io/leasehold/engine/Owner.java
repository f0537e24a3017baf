package io.leasehold.engine;

import java.util.HexFormat;

/**
 * Owner of a grant, created for a single claim. Two owners are equal only if they are the
 * same object; the store compares their {@link #token()}.
 */
public final class Owner {

	/** Maximum number of characters of a thread's name in a token. */
	public static final int LONGEST_THREAD = 40;

	private final MemberIdentity member;

	private final String thread;

	/** Zero until a store requires it: secrets cost more than a local lock. */
	private long secret;

	Owner(MemberIdentity member, String thread) {
		this.member = member;
		this.thread = thread;
	}

	/** Return the id of the member that made the claim. */
	public String memberId() {
		return this.member.id();
	}

	/**
	 * Return the claim token in the store:
	 * {@code application@host:process:unique/thread/secret}, printable ASCII of at most
	 * 220 characters. Do not log it: it suffices to release the lock.
	 * @return the token
	 */
	public String token() {
		return this.member.id() + "/" + printable(this.thread, LONGEST_THREAD) + "/"
				+ HexFormat.of().toHexDigits(secret());
	}

	/** Return the secret. It is kept as a number, which is smaller than its text. */
	private synchronized long secret() {
		while (this.secret == 0) {
			this.secret = this.member.newSecret();
		}
		return this.secret;
	}

	/**
	 * Return the owner's member and thread, without the secret.
	 * @return such as {@code shop@web-3:4711:0f3a5b…/main}
	 */
	@Override
	public String toString() {
		return this.member.id() + "/" + printable(this.thread, LONGEST_THREAD);
	}

	/**
	 * Reduce to printable ASCII without the separators of a token's parts, and of what
	 * stores add to it.
	 */
	static String printable(String text, int most) {
		String kept = (text.length() > most) ? text.substring(0, most) : text;
		for (int i = 0; i < kept.length(); i++) {
			if (!isPrintable(kept.charAt(i))) {
				return masked(kept);
			}
		}
		return kept;
	}

	private static String masked(String text) {
		StringBuilder result = new StringBuilder(text.length());
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			result.append(isPrintable(c) ? c : '_');
		}
		return result.toString();
	}

	private static boolean isPrintable(char c) {
		return c > ' ' && c < 0x7f && "@:/%{}#".indexOf(c) < 0;
	}

}
