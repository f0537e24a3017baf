package io.leasehold;

import java.nio.charset.StandardCharsets;

/**
 * Conversion of text for logs and messages: to one line, without characters that change
 * the display of a terminal or a viewer.
 */
final class ReadableText {

	private ReadableText() {
	}

	/** Percent-encode unreadable characters and percent signs. */
	static String escape(String text) {
		return clean(text, true);
	}

	/** Replace each run of unreadable characters by a space. */
	static String onOneLine(String text) {
		return clean(text, false);
	}

	private static String clean(String text, boolean escaped) {
		int end = readableEnd(text, 0, escaped);
		if (end == text.length()) {
			return text;
		}
		StringBuilder result = new StringBuilder(text.length() + 16);
		int start = 0;
		while (start < text.length()) {
			end = readableEnd(text, start, escaped);
			result.append(text, start, end);
			String unreadable = (end < text.length()) ? Character.toString(text.codePointAt(end)) : "";
			if (escaped) {
				appendEncoded(result, unreadable);
			}
			else if (!unreadable.isEmpty() && end > start) {
				result.append(' ');
			}
			start = end + unreadable.length();
		}
		return result.toString();
	}

	/** Return the index of the first unreadable character, or the length. */
	private static int readableEnd(String text, int start, boolean escaped) {
		int end = start;
		while (end < text.length() && isReadable(text.codePointAt(end)) && !(escaped && text.charAt(end) == '%')) {
			end = text.offsetByCodePoints(end, 1);
		}
		return end;
	}

	private static void appendEncoded(StringBuilder result, String character) {
		for (byte b : character.getBytes(StandardCharsets.UTF_8)) {
			result.append("%%%02X".formatted(b));
		}
	}

	private static boolean isReadable(int c) {
		return switch (Character.getType(c)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
			default -> true;
		};
	}

}
