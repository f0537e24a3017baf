package io.leasehold.engine;

import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

/**
 * Who a grant belongs to: made for one claim, never used again. Two owners are the same
 * only if they are the same object; the store compares their {@link #token()}.
 */
public final class Owner {

	private final Member.Identity member;

	private final String thread;

	private @Nullable String token;

	Owner(Member.Identity member, String thread) {
		this.member = member;
		this.thread = thread;
	}

	/**
	 * Return the id of the member that made the claim.
	 * @return the id
	 */
	public String memberId() {
		return this.member.id();
	}

	/**
	 * Return what the store keeps: {@code application@host:process:unique/thread/secret},
	 * printable ASCII of at most 220 characters. Not for logs: who knows it can free the
	 * lock.
	 * @return the token
	 */
	public String token() {
		String known = this.token;
		return (known != null) ? known : makeToken();
	}

	/** Only for stores that ask: secrets cost more than a local lock. */
	private synchronized String makeToken() {
		String result = this.token;
		if (result == null) {
			result = this + "/" + HexFormat.of().toHexDigits(this.member.newSecret());
			this.token = result;
		}
		return result;
	}

	/**
	 * Return the owner's member and thread, without the secret.
	 * @return such as {@code shop@web-3:4711:0f3a5b…/main}
	 */
	@Override
	public String toString() {
		return this.member.id() + "/" + printable(this.thread, 40);
	}

	/** Reduce to printable ASCII without the characters that separate a token's parts. */
	static String printable(String text, int most) {
		StringBuilder result = new StringBuilder(Math.min(text.length(), most));
		for (int i = 0; i < text.length() && result.length() < most; i++) {
			char c = text.charAt(i);
			result.append((c > ' ' && c < 0x7f && "@:/%{}".indexOf(c) < 0) ? c : '_');
		}
		return result.toString();
	}

}
