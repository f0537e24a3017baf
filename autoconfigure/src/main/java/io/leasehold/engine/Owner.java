package io.leasehold.engine;

import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

/**
 * Who a grant belongs to: made for one claim, never used again. Two owners are the same
 * only if they are the same object; the store compares their {@link #token()}.
 */
public final class Owner {

	private final String memberId;

	private final String thread;

	private final long secret;

	private @Nullable String token;

	Owner(String memberId, String thread, long secret) {
		this.memberId = memberId;
		this.thread = thread;
		this.secret = secret;
	}

	/**
	 * Return the id of the member that made the claim.
	 * @return the id
	 */
	public String memberId() {
		return this.memberId;
	}

	/**
	 * Return what the store keeps: {@code application@host:process:unique/thread/secret},
	 * printable ASCII of at most 220 characters. Not for logs: who knows it can free the
	 * lock.
	 * @return the token
	 */
	public String token() {
		String result = this.token;
		if (result == null) {
			result = this.memberId + "/" + printable(this.thread, 40) + "/" + HexFormat.of().toHexDigits(this.secret);
			this.token = result; // a race makes an equal string
		}
		return result;
	}

	/**
	 * Return the owner's member and thread, without the secret.
	 * @return such as {@code shop@web-3:4711:0f3a5b…/main}
	 */
	@Override
	public String toString() {
		return this.memberId + "/" + printable(this.thread, 40);
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
